#include "ir/shape/einsum.h"

#include <algorithm>
#include <array>

#include "ir/shape/generated.h"

namespace rushlight {
namespace {

constexpr int kLetters = 52;

// PyTorch's order of implicit output subscripts: A-Z, then a-z.
int letter_label(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  return -1;
}
char label_letter(int label) {
  return static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26);
}

/// Subscripts of one operand or of the output; the ellipsis is -1.
Labels read_subscripts(std::string_view text, size_t offset, const std::string& where) {
  Labels labels;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '.') {
      RL_CHECK(text.substr(i, 3) == "...", Runtime, "einsum(): found '.' for ", where,
               " that is not part of any ellipsis");
      RL_CHECK(std::find(labels.begin(), labels.end(), -1) == labels.end(), Runtime,
               "einsum(): found '.' for ", where, " for which an ellipsis was already found");
      labels.push_back(-1);
      i += 2;
      continue;
    }
    const int label = letter_label(c);
    RL_CHECK(label >= 0, Runtime, "einsum(): invalid subscript given at index ", offset + i,
             " in the equation string, subscripts must be in [a-zA-Z]");
    labels.push_back(label);
  }
  return labels;
}

/// Replaces the ellipsis by labels for the dimensions it stands for, aligned to the right.
Labels fill_ellipsis(const Labels& labels, int64_t covered, int64_t most) {
  Labels full;
  for (int label : labels) {
    if (label >= 0) full.push_back(label);
    for (int64_t d = most - covered; label < 0 && d < most; ++d)
      full.push_back(kLetters + static_cast<int>(d));
  }
  return full;
}

void add_sizes(Einsum& e, const TensorMeta& tensor, size_t operand) {
  const Labels& labels = e.operands[operand];
  std::vector<int64_t> own(e.sizes.size(), -1);
  for (size_t d = 0; d < labels.size(); ++d) {
    const auto label = static_cast<size_t>(labels[d]);
    const int64_t size = tensor.sizes[d];
    RL_CHECK(own[label] < 0 || own[label] == size, Runtime, "einsum(): subscript ",
             label_letter(labels[d]), " is repeated for operand ", operand,
             " but the sizes don't match, ", size, " != ", own[label]);
    own[label] = size;
    int64_t& known = e.sizes[label];
    RL_CHECK(known == size || known == 1 || size == 1, Runtime, "einsum(): subscript ",
             labels[d] < kLetters ? std::string(1, label_letter(labels[d])) : "...", " has size ",
             size, " for operand ", operand, " which does not broadcast with previously seen size ",
             known);
    if (known == 1) known = size;
  }
}

void check_output(const Einsum& e) {
  for (size_t i = 0; i < e.output.size(); ++i) {
    const int label = e.output[i];
    RL_CHECK(std::count(e.output.begin(), e.output.end(), label) == 1, Runtime,
             "einsum(): output subscript ", label_letter(label),
             " appears more than once in the output");
    const bool used = std::any_of(e.operands.begin(), e.operands.end(), [&](const Labels& l) {
      return std::find(l.begin(), l.end(), label) != l.end();
    });
    RL_CHECK(used, Runtime, "einsum(): output subscript ", label_letter(label),
             " does not appear in the equation for any input operand");
  }
}

}  // namespace

Dims Einsum::output_sizes() const {
  Dims dims;
  for (int label : output) dims.push_back(sizes[static_cast<size_t>(label)]);
  return dims;
}

Einsum parse_einsum(std::string_view equation, TensorList tensors) {
  RL_CHECK(!tensors.empty(), Runtime, "einsum(): must provide at least one operand");
  const size_t arrow = equation.find("->");
  const std::string_view inputs = equation.substr(0, arrow);
  std::vector<Labels> read;
  for (size_t start = 0; start <= inputs.size();) {
    const size_t end = std::min(inputs.find(',', start), inputs.size());
    read.push_back(read_subscripts(inputs.substr(start, end - start), start,
                                   "operand " + std::to_string(read.size())));
    start = end + 1;
  }
  RL_CHECK(read.size() <= tensors.size(), Runtime,
           "einsum(): fewer operands were provided than specified in the equation");
  RL_CHECK(read.size() >= tensors.size(), Runtime,
           "einsum(): more operands were provided than specified in the equation");

  std::vector<int64_t> covered;
  int64_t most = 0;
  for (size_t i = 0; i < read.size(); ++i) {
    const bool ellipsis = std::find(read[i].begin(), read[i].end(), -1) != read[i].end();
    const int64_t named = static_cast<int64_t>(read[i].size()) - ellipsis;
    const int64_t rank = tensors[i]->rank();
    RL_CHECK(ellipsis ? named <= rank : named == rank, Runtime,
             "einsum(): the number of subscripts in the equation (", named, ") ",
             ellipsis ? "is more than" : "does not match", " the number of dimensions (", rank,
             ") for operand ", i, ellipsis ? "" : " and no ellipsis was given");
    covered.push_back(rank - named);
    if (ellipsis) most = std::max(most, rank - named);
  }
  Einsum e;
  e.sizes.assign(static_cast<size_t>(kLetters + most), 1);
  std::array<int, kLetters> uses{};
  for (size_t i = 0; i < read.size(); ++i) {
    e.operands.push_back(fill_ellipsis(read[i], covered[i], most));
    add_sizes(e, *tensors[i], i);
    for (int label : read[i])
      if (label >= 0) ++uses[static_cast<size_t>(label)];
  }
  if (arrow == std::string_view::npos) {
    e.output = fill_ellipsis({-1}, most, most);
    for (int label = 0; label < kLetters; ++label)
      if (uses[static_cast<size_t>(label)] == 1) e.output.push_back(label);
  } else {
    const Labels out = read_subscripts(equation.substr(arrow + 2), arrow + 2, "the output");
    e.output = fill_ellipsis(out, most, most);
    check_output(e);
  }
  return e;
}

namespace shape {

void einsum(std::string_view equation, TensorList tensors, std::optional<IntList>,
            TensorMeta& out) {
  const Einsum e = parse_einsum(equation, tensors);
  RL_CHECK(out.dtype != DType::Bool, NotImplemented, "einsum is not implemented for bool");
  out.set(out.dtype, e.output_sizes());
}

}  // namespace shape
}  // namespace rushlight
