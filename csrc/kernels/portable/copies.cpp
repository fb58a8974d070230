// Rearranged copies: repeated, rolled, flipped.
#include <cstring>

#include "kernels/portable/gather.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {

void clone(const Tensor& self, std::optional<MemoryFormat>, Tensor& out) {
  copy_strided(self, out);
}
void copy_of(const Tensor& self, Tensor& out) { copy_strided(self, out); }

// Every dimension becomes two, the outer one repeated with stride 0.
void repeat(const Tensor& self, IntList repeats, Tensor& out) {
  const size_t lead = repeats.size() - self.sizes.size();
  Dims sizes, strides;
  for (size_t d = 0; d < repeats.size(); ++d) {
    sizes.push_back(repeats[d]);
    strides.push_back(0);
    if (d < lead) continue;
    sizes.push_back(self.sizes[d - lead]);
    strides.push_back(self.strides[d - lead]);
  }
  copy_strided(restrided(self, sizes, strides), restrided(out, sizes, contiguous_strides(sizes)));
}

void tile(const Tensor& self, IntList dims, Tensor& out) {
  if (dims.size() >= self.sizes.size()) return repeat(self, dims, out);
  Dims repeats(self.sizes.size(), 1);
  std::copy(dims.begin(), dims.end(), repeats.end() - dims.size());
  repeat(self, repeats, out);
}

void repeat_interleave(const Tensor& self, int64_t repeats, std::optional<int64_t> dim,
                       std::optional<int64_t>, Tensor& out) {
  Tensor from = self;
  if (!dim || self.rank() == 0) from = restrided(self.contiguous(), Dims{self.numel()}, Dims{1});
  const int64_t at = dim ? wrap_dim(*dim, from.rank()) : 0;
  Dims sizes = from.sizes, strides = from.strides;
  sizes.insert(at + 1, repeats);
  strides.insert(at + 1, 0);
  copy_strided(restrided(from, sizes, strides), restrided(out, sizes, contiguous_strides(sizes)));
}

namespace {

// Position i stands repeats[i] times.
Tensor repeated_positions(const Tensor& repeats, int64_t count) {
  const Tensor times = as_int64(repeats);
  const bool one = times.numel() == 1 && count != 1;
  const int64_t* data = times.data<int64_t>();
  int64_t total = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t n = data[one ? 0 : i];
    RL_CHECK(n >= 0, Runtime, "repeats can not be negative");
    total += n;
  }
  Tensor positions = Tensor::empty(Dims{total}, DType::Int64);
  int64_t* to = positions.data<int64_t>();
  for (int64_t i = 0; i < count; ++i) to = std::fill_n(to, data[one ? 0 : i], i);
  return positions;
}

void check_total(const Tensor& out, int64_t dim, int64_t total) {
  RL_CHECK(!out.defined() || out.sizes[dim] == total, Runtime,
           "allocated size does not match required size: output_size is ",
           out.defined() ? out.sizes[dim] : 0, ", repeats sum to ", total);
}

}  // namespace

void repeat_interleave(const Tensor& repeats, std::optional<int64_t>, Tensor& out) {
  const Tensor positions = repeated_positions(repeats, repeats.numel());
  check_total(out, 0, positions.numel());
  if (!out.defined()) out = Tensor::empty(positions.sizes, repeats.dtype);
  copy_strided(positions, out);
}

void repeat_interleave(const Tensor& self, const Tensor& repeats, std::optional<int64_t> dim,
                       std::optional<int64_t>, Tensor& out) {
  Tensor from = self;
  if (!dim || self.rank() == 0) from = restrided(self.contiguous(), Dims{self.numel()}, Dims{1});
  const int64_t at = dim ? wrap_dim(*dim, from.rank()) : 0, count = from.sizes[at];
  RL_CHECK(repeats.numel() == 1 || repeats.numel() == count, Runtime,
           "repeats must have the same size as input along dim, but got repeats.size(0) = ",
           repeats.numel(), " and input.size(", at, ") = ", count);
  const Tensor positions = repeated_positions(repeats, count);
  check_total(out, at, positions.numel());
  if (!out.defined()) {
    Dims sizes = from.sizes;
    sizes[at] = positions.numel();
    out = Tensor::empty(sizes, self.dtype);
  }
  index_select(from, at, positions, out);
}

namespace {

// Rolls along dims[i..]: the two pieces of each dimension change places.
void roll_pieces(const Tensor& from, const Tensor& to, const Dims& shifts, size_t d) {
  if (d == shifts.size()) return copy_strided(from, to);
  const int64_t n = from.sizes[d], shift = shifts[d];
  if (shift == 0) return roll_pieces(from, to, shifts, d + 1);
  const auto dim = static_cast<int64_t>(d);
  roll_pieces(narrowed(from, dim, 0, n - shift), narrowed(to, dim, shift, n - shift), shifts,
              d + 1);
  roll_pieces(narrowed(from, dim, n - shift, shift), narrowed(to, dim, 0, shift), shifts, d + 1);
}

}  // namespace

void roll(const Tensor& self, IntList shifts, IntList dims, Tensor& out) {
  if (self.numel() == 0) return;
  Tensor from = self, to = out;
  if (dims.empty()) {
    from = restrided(self.contiguous(), Dims{self.numel()}, Dims{1});
    to = restrided(out, Dims{self.numel()}, Dims{1});
  }
  Dims by(from.sizes.size());
  for (size_t i = 0; i < shifts.size(); ++i) {
    const int64_t d = dims.empty() ? 0 : wrap_dim(dims[i], self.rank());
    if (from.rank() == 0) continue;
    const int64_t n = from.sizes[d];
    by[d] = ((by[d] + shifts[i]) % n + n) % n;
  }
  roll_pieces(from, to, by, 0);
}

void flip(const Tensor& self, IntList dims, Tensor& out) {
  if (self.numel() == 0) return;
  TensorMeta view = self;
  for (int64_t dim : dims) {
    if (self.rank() == 0) continue;
    const int64_t d = wrap_dim(dim, self.rank());
    view.view_offset += (self.sizes[d] - 1) * self.strides[d];
    view.strides[d] = -self.strides[d];
  }
  copy_strided(self.view(view), out);
}
void fliplr(const Tensor& self, Tensor& out) { flip(self, Dims{1}, out); }
void flipud(const Tensor& self, Tensor& out) { flip(self, Dims{0}, out); }

void rot90(const Tensor& self, int64_t k, IntList dims, Tensor& out) {
  const int64_t turns = ((k % 4) + 4) % 4;
  const int64_t a = wrap_dim(dims[0], self.rank()), b = wrap_dim(dims[1], self.rank());
  if (turns == 0) return copy_strided(self, out);
  if (turns == 2) return flip(self, Dims{a, b}, out);
  TensorMeta turned = self;
  std::swap(turned.sizes[a], turned.sizes[b]);
  std::swap(turned.strides[a], turned.strides[b]);
  flip(self.view(turned), Dims{turns == 1 ? a : b}, out);
}

namespace {

// Keeps columns [first(r), last(r)) of row r and clears the others.
template <class F>
void keep_columns(const Tensor& self, Tensor& out, F&& kept) {
  if (self.numel() == 0) return;
  const Tensor from = self.contiguous();
  const int64_t rows = self.sizes[self.rank() - 2], columns = self.sizes.back();
  const int64_t item = item_size(self.dtype);
  cpu::parallel_for(0, self.numel() / columns, kGrain / columns + 1, [&](int64_t r0, int64_t r1) {
    for (int64_t r = r0; r < r1; ++r) {
      const auto [first, last] = kept(r % rows);
      const int64_t a = std::clamp<int64_t>(first, 0, columns);
      const int64_t b = std::clamp<int64_t>(last, a, columns);
      const std::byte* source = from.raw() + r * columns * item;
      std::byte* target = out.raw() + r * columns * item;
      std::memset(target, 0, static_cast<size_t>(a * item));
      std::memcpy(target + a * item, source + a * item, static_cast<size_t>((b - a) * item));
      std::memset(target + b * item, 0, static_cast<size_t>((columns - b) * item));
    }
  });
}

}  // namespace

void tril(const Tensor& self, int64_t diagonal, Tensor& out) {
  keep_columns(self, out, [=](int64_t r) { return std::pair(int64_t{0}, r + diagonal + 1); });
}
void triu(const Tensor& self, int64_t diagonal, Tensor& out) {
  const int64_t columns = self.sizes.back();
  keep_columns(self, out, [=](int64_t r) { return std::pair(r + diagonal, columns); });
}

void channel_shuffle(const Tensor& self, int64_t groups, Tensor& out) {
  const int64_t each = self.sizes[1] / groups;
  Dims sizes = self.sizes, strides = self.strides;
  sizes[1] = each;  // channel c of the output is [c / groups][c % groups]
  sizes.insert(2, groups);
  strides.insert(2, self.strides[1] * each);
  copy_strided(restrided(self, sizes, strides), restrided(out, sizes, contiguous_strides(sizes)));
}

}  // namespace rushlight::kernels::portable
