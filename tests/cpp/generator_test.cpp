#include "core/generator.h"

#include "test.h"

namespace rushlight {
namespace {

// The known answers that come with the paper's Random123 library.
TEST(philox_known_answers) {
  EXPECT((philox({0, 0, 0, 0}, 0) == PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT((philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffff) ==
          PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT((philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
          PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(generator_stretches_do_not_overlap) {
  Generator generator(7);
  const RandomStream first = generator.reserve(3), second = generator.reserve(1);
  EXPECT(second.begin == first.begin + 2);  // three words take two counters
  EXPECT(first.word(0) != first.word(1));
  EXPECT(first.word(4) == second.word(0));
}

TEST(generator_state_comes_back) {
  Generator generator(7);
  generator.reserve(10);
  const Generator::State state = generator.state();
  const uint64_t word = generator.reserve(1).word(0);
  generator.set_state(state);
  EXPECT(generator.reserve(1).word(0) == word);
  generator.manual_seed(7);
  EXPECT(generator.initial_seed() == 7);
  EXPECT(generator.state().offset == 0);
}

}  // namespace
}  // namespace rushlight
