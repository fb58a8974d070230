// Random state for rushlight.utils.data: a state per sample, of every generator a sample may use.

#include <cstring>
#include <memory>

#include "bindings.h"
#include "core/generator.h"

namespace rushlight::python {
namespace {

constexpr size_t kWords = 624;  // of a Mersenne Twister's state

/// The numbers that follow from a seed (SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

uint64_t mix(uint64_t key, uint64_t index) {
  return SplitMix(SplitMix(key).next() ^ index * 0xD1342543DE82EF95).next();
}

/// The state of a Mersenne Twister that lives in another library's object: 624 words, and how many
/// of them have been used. Writing the words is many times cheaper than the library's own seeding.
class Twister {
 public:
  Twister(uintptr_t words, uintptr_t used)
      : words_(reinterpret_cast<uint32_t*>(words)), used_(reinterpret_cast<int32_t*>(used)) {}

  void seed(uint64_t seed) {
    SplitMix numbers(seed);
    for (size_t i = 0; i < kWords; i += 2) {
      const uint64_t bits = numbers.next();
      words_[i] = static_cast<uint32_t>(bits);
      words_[i + 1] = static_cast<uint32_t>(bits >> 32);
    }
    *used_ = kWords;  // all words are used: the first draw makes new ones
    mark_ = words_[0];
  }
  /// Whether anything was drawn or set since the last `seed`.
  bool touched() const { return *used_ != static_cast<int32_t>(kWords) || words_[0] != mark_; }

  nb::bytes save() const {
    char state[kStateBytes];
    std::memcpy(state, words_, kWords * 4);
    std::memcpy(state + kWords * 4, used_, 4);
    return nb::bytes(state, kStateBytes);
  }
  void restore(const nb::bytes& state) {
    RL_CHECK(state.size() == kStateBytes, Value, "a saved state has ", kStateBytes, " bytes, not ",
             state.size());
    std::memcpy(words_, state.c_str(), kWords * 4);
    std::memcpy(used_, static_cast<const char*>(state.c_str()) + kWords * 4, 4);
  }

 private:
  static constexpr size_t kStateBytes = kWords * 4 + 4;
  uint32_t* words_;
  int32_t* used_;
  uint32_t mark_ = 0;
};

/// Number of the stream that a generator gets from one sample seed.
enum class Stream : uint64_t { Own = 1, Torch = 2, First = 3 };

uint64_t stream_seed(uint64_t sample, uint64_t stream) { return mix(sample, stream); }

/// Seeds our generator (the thread's) and the Twisters for one sample.
uint64_t seed_sample(uint64_t key, uint64_t index, nb::args twisters) {
  const uint64_t sample = mix(key, index);
  default_generator().manual_seed(stream_seed(sample, static_cast<uint64_t>(Stream::Own)));
  uint64_t stream = static_cast<uint64_t>(Stream::First);
  for (nb::handle twister : twisters)
    nb::cast<Twister&>(twister).seed(stream_seed(sample, stream++));
  return stream_seed(sample, static_cast<uint64_t>(Stream::Torch)) >> 1;
}

/// A generator that the random operators of one thread draw from.
struct ThreadGenerator {
  Generator generator;
  GeneratorScope scope{&generator};
};
thread_local std::unique_ptr<ThreadGenerator> thread_generator;

void use_thread_generator(bool enabled) {
  thread_generator = enabled ? std::make_unique<ThreadGenerator>() : nullptr;
}

}  // namespace

void init_seeding(nb::module_& m) {
  m.def(
      "random_state",
      [] {
        const Generator::State state = default_generator().state();
        return nb::make_tuple(state.seed, state.offset);
      },
      nb::sig("def random_state() -> tuple[int, int]"),
      "The default generator's seed and how many counters it has used.");
  m.def(
      "set_random_state",
      [](uint64_t seed, uint64_t offset) { default_generator().set_state({seed, offset}); },
      nb::arg("seed"), nb::arg("offset"), "Sets what `random_state` returns.");
  m.def(
      "draw_random_seed", [] { return default_generator().reserve(2).word(0) >> 1; },
      "Draws a number in [0, 2**63) from the default generator.");
  m.def("use_thread_generator", &use_thread_generator, nb::arg("enabled"),
        "Gives the calling thread a default generator of its own, or takes it away.");
  m.def("mix_seeds", &mix, nb::arg("key"), nb::arg("index"),
        "A 64-bit number that follows from two.");
  m.def("seed_sample", &seed_sample, nb::arg("key"), nb::arg("index"), nb::arg("twisters"),
        nb::sig("def seed_sample(key: int, index: int, *twisters: Twister) -> int"),
        "Seeds the default generator and the Twisters for one sample; returns the seed for "
        "PyTorch's generator.");
  nb::class_<Twister>(m, "Twister",
                      "A Mersenne Twister that lives at the given addresses in another library's "
                      "object, which must outlive this one.")
      .def(nb::init<uintptr_t, uintptr_t>(), nb::arg("words"), nb::arg("used"))
      .def("seed", &Twister::seed, nb::arg("seed"), "Starts the sequence of `seed`.")
      .def("touched", &Twister::touched, "Whether anything was drawn since the last `seed`.")
      .def("save", &Twister::save, "The state.")
      .def("restore", &Twister::restore, nb::arg("state"), "Puts a saved state back.");
}

}  // namespace rushlight::python
