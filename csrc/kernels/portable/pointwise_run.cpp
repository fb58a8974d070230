// The loop over tiles of the pointwise driver.
#include "kernels/kernel.h"
#include "kernels/portable/pointwise_plan.h"
#include "kernels/strided.h"

namespace rushlight::kernels {
namespace {

// Tiles start on different cache sets.
constexpr int64_t kStagger = 192;

// Scratch tiles of this thread: kernels with an epilogue have slots of `scratch` in use.
std::byte* tile_memory(size_t nbytes) {
  static thread_local StoragePtr block;
  if (!block || block->nbytes() < nbytes) {
    block.reset();
    block = Storage::allocate(nbytes);
  }
  return block->data();
}

}  // namespace

TileRunner::TileRunner(const TilePlan& plan) : plan_(plan) {
  pitch_ = kTile * plan.widest_ + kStagger;
  scratch_ = tile_memory(plan.buffers_ * static_cast<size_t>(pitch_));
  for (size_t i = 0; i < plan.input_count_; ++i) filled_[plan.inputs_[i].reg] = 0;
}

void TileRunner::run(int64_t begin, int64_t end) {
  const LoopNest& nest = plan_.nest_;
  const int64_t inner = nest.inner();
  fill_constants(std::min(plan_.tile_, end - begin));
  nest.locate(begin, at_);
  for (int64_t index = begin; index < end;) {
    const int64_t column = at_[nest.rank() - 1];
    int64_t n = std::min(plan_.tile_, end - index);
    if (plan_.by_rows_) {
      n = std::min(n, inner - column);
    } else if (column != 0) {
      n = std::min(n, inner - column);  // back to whole rows
    }
    for (size_t i = 0; i < plan_.input_count_; ++i) load(i, index, n);
    compute(index, n);
    for (size_t o = 0; o < plan_.outputs_; ++o) store(o, index, n);
    index += n;
    nest.advance(n, at_);
  }
}

void TileRunner::fill_constants(int64_t n) {
  const auto& operands = plan_.program_.operands;
  for (size_t r = 0; r < operands.size(); ++r) {
    if (!operands[r].constant) continue;
    std::byte* to = buffer(plan_.buffer_[r]);
    dispatch_dtype(operands[r].dtype, [&](auto tag) {
      using T = decltype(tag);
      const T value = operands[r].constant->to<T>();
      gather(reinterpret_cast<const std::byte*>(&value), 0, sizeof(T), to, n);
    });
    registers_[r] = to;
  }
}

void TileRunner::fill_one(const TilePlan::Input& in, const std::byte* element, int64_t n) {
  if (filled_[in.reg] >= n && filled_from_[in.reg] == element) return;
  std::byte* to = buffer(plan_.buffer_[in.reg]);
  alignas(16) std::byte converted[16];
  const int64_t item = item_size(in.to);
  if (in.convert)
    in.convert(element, converted, 1);
  else
    std::memcpy(converted, element, static_cast<size_t>(item));
  gather(converted, 0, item, to, n);
  registers_[in.reg] = to;
  filled_from_[in.reg] = element;
  filled_[in.reg] = n;
}

// The next `n` elements of an operand in the order of the walk.
void TileRunner::gather_rows(size_t input, int64_t n, std::byte* to) const {
  const LoopNest& nest = plan_.nest_;
  const TilePlan::Input& in = plan_.inputs_[input];
  const size_t k = plan_.outputs_ + input;
  const int64_t inner = nest.inner(), stride = nest.inner_stride(k);
  int64_t at[LoopNest::kMaxRank];
  std::copy(at_, at_ + nest.rank(), at);
  // Short rows that follow each other in the next dimension are read without finding each anew.
  const size_t outer = nest.rank() >= 2 ? nest.rank() - 2 : 0;
  while (nest.rank() >= 2 && n > 0) {
    const int64_t column = at[outer + 1];
    const int64_t rows = std::min(nest.size(outer) - at[outer], n / inner);
    if (column != 0 || rows < 2) break;
    gather_plane(in.data + nest.offset(k, at), nest.stride(k, outer), stride, in.item, to, rows,
                 inner);
    to += rows * inner * in.item;
    n -= rows * inner;
    nest.advance(rows * inner, at);
  }
  while (n > 0) {
    const int64_t piece = std::min(n, inner - at[nest.rank() - 1]);
    gather(in.data + nest.offset(k, at), stride, in.item, to, piece);
    to += piece * in.item;
    n -= piece;
    nest.advance(piece, at);
  }
}

void TileRunner::load(size_t input, int64_t index, int64_t n) {
  const TilePlan::Input& in = plan_.inputs_[input];
  const size_t k = plan_.outputs_ + input;
  const std::byte* from;
  std::byte* to = buffer(plan_.buffer_[in.reg]);
  switch (in.access) {
    case Access::One:
      return fill_one(in, in.data, n);
    case Access::RowOne:
      return fill_one(in, in.data + plan_.nest_.offset(k, at_), n);
    case Access::Flat:
      from = in.data + index * in.item;
      break;
    case Access::Row:
      from = in.data + plan_.nest_.offset(k, at_);
      break;
    case Access::Period:
    case Access::Strided: {
      const std::byte* phase = in.data + at_[plan_.nest_.rank() - 1];
      if (in.access == Access::Period) {
        if (filled_[in.reg] >= n && filled_from_[in.reg] == phase) return;
        filled_[in.reg] = n;
        filled_from_[in.reg] = phase;
      }
      std::byte* gathered = in.convert ? buffer(plan_.temporary_) : to;
      gather_rows(input, n, gathered);
      from = gathered;
      break;
    }
  }
  if (in.convert) {
    in.convert(from, to, n);
    from = to;
  }
  registers_[in.reg] = from;
}

std::byte* TileRunner::output_address(size_t output, int64_t index) const {
  const TilePlan::Output& out = plan_.out_[output];
  return out.flat ? out.data + index * out.item : out.data + plan_.nest_.offset(output, at_);
}

void TileRunner::compute(int64_t index, int64_t n) {
  const PointwiseProgram& program = plan_.program_;
  const size_t operands = program.operands.size();
  const auto held = [&](uint8_t r) {
    return r < operands ? program.operands[r].dtype : program.steps[r - operands].result;
  };
  for (size_t s = 0; s < program.steps.size(); ++s) {
    const PointwiseStep& step = program.steps[s];
    const void* in[4];
    for (size_t i = 0; i < step.inputs; ++i) {
      const uint8_t r = step.in[i];
      const DType wanted = step.masks >> i & 1 ? DType::Bool : step.compute;
      in[i] = registers_[r];
      if (held(r) != wanted) {
        std::byte* to = buffer(plan_.temporary_ + 1 + i);
        convert_fn(held(r), wanted)(in[i], to, n);
        in[i] = to;
      }
    }
    const uint8_t o = plan_.store_to_[s];
    std::byte* to =
        o == TilePlan::kNone ? buffer(plan_.buffer_[operands + s]) : output_address(o, index);
    step.fn(step.params, in, to, n);
    registers_[operands + s] = to;
  }
}

void TileRunner::store(size_t output, int64_t index, int64_t n) {
  const TilePlan::Output& out = plan_.out_[output];
  const std::byte* from = registers_[out.reg];
  if (out.contiguous) {
    std::byte* to = output_address(output, index);
    if (out.convert)
      out.convert(from, to, n);
    else if (from != to)
      std::memcpy(to, from, static_cast<size_t>(n * out.item));
    return;
  }
  if (out.convert) {
    std::byte* converted = buffer(plan_.temporary_);
    out.convert(from, converted, n);
    from = converted;
  }
  const LoopNest& nest = plan_.nest_;
  int64_t at[LoopNest::kMaxRank];
  std::copy(at_, at_ + nest.rank(), at);
  while (n > 0) {
    const int64_t piece = std::min(n, nest.inner() - at[nest.rank() - 1]);
    scatter(from, out.data + nest.offset(output, at), nest.inner_stride(output), out.item, piece);
    from += piece * out.item;
    n -= piece;
    nest.advance(piece, at);
  }
}

}  // namespace rushlight::kernels
