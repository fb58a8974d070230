// How one call of the pointwise driver walks its operands, and the loop over tiles.
#pragma once

#include "kernels/convert.h"
#include "kernels/loop_nest.h"
#include "kernels/pointwise.h"

namespace rushlight::kernels {

/// How the elements of an operand for one tile are reached.
enum class Access : uint8_t {
  Flat,     // contiguous over the whole walk
  One,      // a single element
  Row,      // contiguous inside a row; tiles never cross rows
  RowOne,   // one element per row
  Period,   // the same short row again and again; tiles are whole numbers of rows
  Strided,  // gathered
};

/// Worked out once per call; read by all threads. Lives on the stack: nothing is allocated.
class TilePlan {
 public:
  /// `keep_order`: flat indices count in row-major order (needed for ranges of a contiguous
  /// output).
  TilePlan(const PointwiseProgram& program, TensorList inputs, std::span<Tensor* const> outputs,
           bool keep_order);
  int64_t numel() const { return nest_.numel(); }
  /// Most elements of a tile, and the unit in which work is split.
  int64_t tile() const { return tile_; }

 private:
  friend class TileRunner;
  static constexpr uint8_t kNone = 0xff;

  struct Input {
    const std::byte* data;
    int64_t item;
    ConvertFn convert;  // null when the register has the tensor's dtype
    DType from, to;
    uint8_t reg;
    Access access;
  };
  struct Output {
    std::byte* data;
    int64_t item;
    ConvertFn convert;  // from the register's dtype, or null
    uint8_t reg;
    bool flat;
    bool contiguous;  // within one tile
  };

  void plan_inputs(TensorList inputs);
  void plan_registers(std::span<Tensor* const> outputs, bool in_place);

  const PointwiseProgram& program_;
  LoopNest nest_;
  size_t outputs_;
  size_t input_count_ = 0;
  bool by_rows_;
  int64_t tile_;
  int64_t widest_ = 1;    // bytes of the widest element
  size_t buffers_ = 0;    // tiles of scratch memory
  size_t temporary_ = 0;  // the first of the buffers for conversions
  Input inputs_[kMaxRegisters];
  Output out_[kMaxRegisters];
  uint8_t buffer_[kMaxRegisters];
  uint8_t store_to_[kMaxRegisters];  // step -> output that it writes directly
};

/// Runs a plan over ranges of the flat index on the calling thread.
class TileRunner {
 public:
  explicit TileRunner(const TilePlan& plan);
  void run(int64_t begin, int64_t end);

 private:
  std::byte* buffer(size_t i) const { return scratch_ + static_cast<int64_t>(i) * pitch_; }
  void fill_constants(int64_t n);
  void load(size_t input, int64_t index, int64_t n);
  void fill_one(const TilePlan::Input& in, const std::byte* element, int64_t n);
  void gather_rows(size_t input, int64_t n, std::byte* to) const;
  std::byte* output_address(size_t output, int64_t index) const;
  void compute(int64_t index, int64_t n);
  void store(size_t output, int64_t index, int64_t n);

  const TilePlan& plan_;
  std::byte* scratch_;
  int64_t pitch_;
  const std::byte* registers_[kMaxRegisters];
  // What a register's buffer already holds: the element or phase it was filled from, and how many.
  const std::byte* filled_from_[kMaxRegisters];
  int64_t filled_[kMaxRegisters];
  int64_t at_[LoopNest::kMaxRank];  // coordinates of the tile's first element
};

}  // namespace rushlight::kernels
