// The random state of the process: a seed and how much of its sequence has been used.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "philox.h"

namespace rushlight {

/// A stretch of a Philox sequence that belongs to one operator call.
struct RandomStream {
  uint64_t seed = 0;
  uint64_t begin = 0;  // first counter

  /// 64-bit words 2 p and 2 p + 1 of the stretch: those of one counter.
  std::pair<uint64_t, uint64_t> words(int64_t p) const {
    const uint64_t counter = begin + static_cast<uint64_t>(p);
    const PhiloxBlock bits =
        philox({static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0}, seed);
    return {uint64_t{bits[0]} << 32 | bits[1], uint64_t{bits[2]} << 32 | bits[3]};
  }
  /// 64-bit word i of the stretch.
  uint64_t word(int64_t i) const {
    const auto [even, odd] = words(i / 2);
    return i % 2 == 0 ? even : odd;
  }
};

/// Thread-safe. Operators reserve what they need and then draw from their own stretch on as many
/// threads as they like: the numbers are the same for any number of threads.
class Generator {
 public:
  struct State {
    uint64_t seed;
    uint64_t offset;  // counters used so far
  };
  /// PyTorch's default seed.
  static constexpr uint64_t kDefaultSeed = 67280421310721;

  explicit Generator(uint64_t seed = kDefaultSeed) : state_{seed, 0} {}

  /// Starts the sequence of `seed` from its beginning.
  void manual_seed(uint64_t seed) { set_state({seed, 0}); }
  uint64_t initial_seed() const { return state().seed; }
  State state() const {
    std::lock_guard lock(mutex_);
    return state_;
  }
  void set_state(State state) {
    std::lock_guard lock(mutex_);
    state_ = state;
  }
  /// Takes `words` 64-bit words from the sequence.
  RandomStream reserve(int64_t words) {
    std::lock_guard lock(mutex_);
    const RandomStream stream{state_.seed, state_.offset};
    state_.offset += (static_cast<uint64_t>(words) + 1) / 2;
    return stream;
  }

 private:
  mutable std::mutex mutex_;
  State state_;
};

/// The generator that random operators draw from: the process has one, as in PyTorch, unless a
/// `GeneratorScope` of this thread names another.
Generator& default_generator();

/// While it lives, random operators called on this thread draw from `generator` (null: no change).
class GeneratorScope {
 public:
  explicit GeneratorScope(Generator* generator);
  ~GeneratorScope();
  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;

 private:
  Generator* before_;
};

}  // namespace rushlight
