// Random state for rushlight.utils.data: a state per sample, of every generator a sample may use.

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "bindings.h"
#include "core/generator.h"

namespace rushlight::python {
namespace {

constexpr uint32_t kWords = 624;  // of a Mersenne Twister's state

// SplitMix64's mixing step (Steele, Lea and Flood, OOPSLA 2014).
uint64_t scramble(uint64_t z) {
  z += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

uint64_t mix(uint64_t key, uint64_t index) {
  return scramble(scramble(key) ^ index * 0xD1342543DE82EF95);
}

// Words that follow from a seed, in 32-bit steps that vectorise: this is done for every sample.
// Two rounds of MurmurHash3's mixing step (Appleby), one per half of the seed.
#pragma GCC push_options
#pragma GCC optimize("O3")
#ifdef __x86_64__
__attribute__((target_clones("avx2", "default")))
#endif
void fill_words(uint32_t* words, uint32_t count, uint64_t seed) {
  const uint32_t low = static_cast<uint32_t>(seed), high = static_cast<uint32_t>(seed >> 32);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t x = i * 0x9E3779B9u + low;
    x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
    x = (x ^ (x >> 13)) * 0xC2B2AE35u;
    x = (x ^ (x >> 16)) + high;
    x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
    x = (x ^ (x >> 13)) * 0xC2B2AE35u;
    words[i] = x ^ (x >> 16);
  }
}
#pragma GCC pop_options

/// The state of a Mersenne Twister that lives in another library's object: 624 words, and how many
/// of them have been used. Writing the words is many times cheaper than the library's own seeding.
class Twister {
 public:
  Twister(uintptr_t words, uintptr_t used)
      : words_(reinterpret_cast<uint32_t*>(words)), used_(reinterpret_cast<int32_t*>(used)) {}

  void seed(uint64_t seed) {
    fill_words(words_, kWords, seed);
    *used_ = kWords;  // all words are used: the first draw makes new ones
    mark();
  }
  /// Whether anything was drawn or set since the last `seed` or `restore`.
  bool touched() const { return *used_ != marked_used_ || words_[0] != marked_word_; }

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
    mark();
  }

 private:
  static constexpr size_t kStateBytes = kWords * 4 + 4;
  void mark() { marked_word_ = words_[0], marked_used_ = *used_; }

  uint32_t* words_;
  int32_t* used_;
  uint32_t marked_word_ = 0;
  int32_t marked_used_ = -1;
};

/// Number of the stream that a generator gets from one sample seed.
enum class Stream : uint64_t { Own = 1, Torch = 2, First = 3 };

uint64_t stream_seed(uint64_t sample, uint64_t stream) { return mix(sample, stream); }

/// Seeds our generator (the thread's) and some Twisters for one sample.
class SampleSeeder {
 public:
  explicit SampleSeeder(nb::tuple twisters) : owners_(std::move(twisters)) {
    for (nb::handle twister : owners_) twisters_.push_back(&nb::cast<Twister&>(twister));
  }
  bool touched() const {
    return std::any_of(twisters_.begin(), twisters_.end(), [](auto t) { return t->touched(); });
  }
  int64_t seed(uint64_t key, uint64_t index, bool even_if_touched) {
    if (!even_if_touched && touched()) return -1;
    const uint64_t sample = mix(key, index);
    default_generator().manual_seed(stream_seed(sample, static_cast<uint64_t>(Stream::Own)));
    uint64_t stream = static_cast<uint64_t>(Stream::First);
    for (Twister* twister : twisters_) twister->seed(stream_seed(sample, stream++));
    return static_cast<int64_t>(stream_seed(sample, static_cast<uint64_t>(Stream::Torch)) >> 1);
  }

 private:
  nb::tuple owners_;
  std::vector<Twister*> twisters_;
};

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
  nb::class_<Twister>(m, "Twister",
                      "A Mersenne Twister that lives at the given addresses in another library's "
                      "object, which must outlive this one.")
      .def(nb::init<uintptr_t, uintptr_t>(), nb::arg("words"), nb::arg("used"))
      .def("seed", &Twister::seed, nb::arg("seed"), "Starts the sequence of `seed`.")
      .def("touched", &Twister::touched,
           "Whether anything was drawn since the last `seed` or `restore`.")
      .def("save", &Twister::save, "The state.")
      .def("restore", &Twister::restore, nb::arg("state"), "Puts a saved state back.");
  nb::class_<SampleSeeder>(m, "SampleSeeder",
                           "Seeds the default generator and some Twisters for one sample.")
      .def(nb::init<nb::tuple>(), nb::arg("twisters"),
           nb::sig("def __init__(self, twisters: tuple[Twister, ...]) -> None"))
      .def("seed", &SampleSeeder::seed, nb::arg("key"), nb::arg("index"),
           nb::arg("even_if_touched") = false,
           "Seeds and returns the seed for PyTorch's generator; -1, and nothing is done, if a "
           "Twister was touched since the last sample.");
}

}  // namespace rushlight::python
