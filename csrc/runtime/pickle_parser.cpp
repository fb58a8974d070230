// What each opcode does.
#include <bit>

#include "runtime/pickle_machine.h"

namespace rushlight::pickle {
namespace {

constexpr int kMaxProtocol = 5;

class Parser : Machine {
 public:
  explicit Parser(std::span<const std::byte> bytes) : Machine(bytes) {}

  Program run() {
    try {
      RL_CHECK(limit_ < UINT32_MAX, Value, "a pickle of ", limit_, " bytes is too long");
      while (!stopped_) {
        position_ = static_cast<uint32_t>(input_.position());
        const auto opcode = input_.number<uint8_t>();
        ++program_.opcodes[opcode];
        execute(opcode);
      }
      program_.size = input_.position();
    } catch (const Error& error) {
      program_.error = detail::concat("byte ", position_, ": ", error.what());
    }
    return std::move(program_);
  }

 private:
  void execute(uint8_t opcode);
};

void Parser::execute(uint8_t opcode) {
  using K = StepKind;
  switch (opcode) {
    case 0x80: {  // PROTO
      program_.protocol = input_.number<uint8_t>();
      RL_CHECK(program_.protocol <= kMaxProtocol, Value, "pickle protocol ", program_.protocol,
               " is newer than ", kMaxProtocol, ", the newest that is supported");
      return;
    }
    case 0x95:  // FRAME
      RL_CHECK(input_.number<uint64_t>() <= input_.left(), Value, "a frame exceeds the pickle");
      return;
    case '.':
      return stop();
    case '(':
      marks_.push_back(stack_.size());
      return;
    case '0':  // POP, of a mark too
      if (stack_.size() == floor() && !marks_.empty())
        marks_.pop_back();
      else
        pop();
      return;
    case '1':
      pop_marked();
      return;
    case '2':
      stack_.push_back(top());
      return;
    // Constants.
    case 'N':
      push(K::None);
      return;
    case 0x88:
      push(K::True);
      return;
    case 0x89:
      push(K::False);
      return;
    case 'I':
      return read_int();
    case 'L':
      return read_long();
    case 'J':
      return push_int(input_.number<int32_t>());
    case 'K':
      return push_int(input_.number<uint8_t>());
    case 'M':
      return push_int(input_.number<uint16_t>());
    case 0x8a:
      return push_text(K::Long, input_.counted<uint8_t>());
    case 0x8b: {
      const auto count = input_.number<int32_t>();
      RL_CHECK(count >= 0, Value, "an integer of ", count, " bytes");
      return push_text(K::Long, input_.take(static_cast<uint64_t>(count)));
    }
    case 'F':
      return push_float(parse_float(input_.line()));
    case 'G':
      return push_float(std::bit_cast<double>(__builtin_bswap64(input_.number<uint64_t>())));
    case 'S':
      return push_owned(K::String, unquote(input_.line()));
    case 'T': {
      const auto count = input_.number<int32_t>();
      RL_CHECK(count >= 0, Value, "a string of ", count, " bytes");
      return push_text(K::String, input_.take(static_cast<uint64_t>(count)));
    }
    case 'U':
      return push_text(K::String, input_.counted<uint8_t>());
    case 'V':
      return push_owned(K::Text, unescape(input_.line()));
    case 'X':
      return push_text(K::Text, input_.counted<uint32_t>());
    case 0x8c:
      return push_text(K::Text, input_.counted<uint8_t>());
    case 0x8d:
      return push_text(K::Text, input_.counted<uint64_t>());
    case 'B':
      return push_text(K::Bytes, input_.counted<uint32_t>());
    case 'C':
      return push_text(K::Bytes, input_.counted<uint8_t>());
    case 0x8e:
      return push_text(K::Bytes, input_.counted<uint64_t>());
    case 0x96:
      return push_text(K::ByteArray, input_.counted<uint64_t>());
    // Containers.
    case ')':
      return push_frozen(K::Tuple, {});
    case 't':
      return push_frozen(K::Tuple, pop_marked());
    case 0x85:
    case 0x86:
    case 0x87:
      return push_frozen(K::Tuple, pop_some(opcode - 0x84u));
    case 0x91:
      return push_frozen(K::FrozenSet, pop_marked());
    case ']':
      push(K::List);
      return;
    case '}':
      push(K::Dict);
      return;
    case 0x8f:
      push(K::Set);
      return;
    case 'l': {
      const std::vector<Node> values = pop_marked();
      push(K::List);
      return effect(K::Append, K::List, values);
    }
    case 'd': {
      const std::vector<Node> values = pop_marked();
      push(K::Dict);
      return effect(K::SetItems, K::Dict, values);
    }
    case 'a':
      return effect(K::Append, K::List, pop_some(1));
    case 'e':
      return effect(K::Append, K::List, pop_marked());
    case 's':
      return effect(K::SetItems, K::Dict, pop_some(2));
    case 'u':
      return effect(K::SetItems, K::Dict, pop_marked());
    case 0x90:
      return effect(K::AddItems, K::Set, pop_marked());
    // Objects.
    case 'c': {
      const std::string_view module = input_.line();
      return push_global(module, input_.line());
    }
    case 0x93:
      return stack_global();
    case 'R':
      return reduce();
    case 0x81:
      return new_object(false);
    case 0x92:
      return new_object(true);
    case 'i': {
      const std::string_view module = input_.line();
      const std::string_view name = input_.line();
      return instance(module, name, pop_marked());
    }
    case 'o':
      return marked_object();
    case 'b':
      return effect(K::Build, K::Build, pop_some(1));
    case 'P':
      push_text(K::Text, input_.line());
      return persistent_id(pop());
    case 'Q':
      return persistent_id(pop());
    // The memo.
    case 'p':
      return put(parse_index(input_.line()));
    case 'q':
      return put(input_.number<uint8_t>());
    case 'r':
      return put(input_.number<uint32_t>());
    case 0x94:
      return put(memo_count_);
    case 'g':
      return get(parse_index(input_.line()));
    case 'h':
      return get(input_.number<uint8_t>());
    case 'j':
      return get(input_.number<uint32_t>());
    case 0x82:
    case 0x83:
    case 0x84:
      RL_FAIL(Value, "the extension registry (opcodes EXT1, EXT2, EXT4) is not supported");
    case 0x97:
    case 0x98:
      RL_FAIL(Value,
              "out-of-band buffers (opcodes NEXT_BUFFER, READONLY_BUFFER) are not supported");
    default:
      RL_FAIL(Value, "no pickle opcode: ", static_cast<int>(opcode));
  }
}

}  // namespace

Program parse(std::span<const std::byte> bytes) { return Parser(bytes).run(); }

}  // namespace rushlight::pickle
