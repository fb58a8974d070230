// One folder of weights or constants of a PT2 archive: records, and the file that describes them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/tensor.h"

namespace rushlight::pt2 {

/// Collects tensors; each storage becomes one record, whole. Tensors of one dtype that share a
/// storage share its record. (PyTorch reads a record as one dtype.)
class WeightWriter {
 public:
  /// Records are called `prefix` and a number from `first` on.
  WeightWriter(std::string prefix, size_t first) : prefix_(std::move(prefix)), next_(first) {}

  void add(const std::string& name, Tensor tensor, bool is_param, bool requires_grad);

  struct Record {
    std::string name;
    Tensor tensor;  // any of those in it
    std::span<const std::byte> bytes() const;
  };
  const std::vector<Record>& records() const { return records_; }
  /// JSON.
  std::string config() const;

 private:
  struct Entry {
    std::string name;
    Tensor tensor;
    size_t record;
    bool is_param, requires_grad;
  };

  std::string prefix_;
  size_t next_;
  std::vector<Entry> entries_;
  std::vector<Record> records_;
  std::map<std::tuple<const std::byte*, size_t, DType>, size_t> by_memory_;
};

}  // namespace rushlight::pt2
