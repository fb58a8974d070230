#include "replay.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/copy.h"
#include "lazy/location.h"
#include "lazy/metrics.h"
#include "lazy/recorder.h"
#include "lazy/state.h"
#include "lazy/yield.h"

namespace rushlight::lazy {
namespace {

using Kind = Replay::Owner::Kind;

bool same_number(const Argument& a, const Argument& b) {
  if (a.index() != b.index()) return false;
  if (const auto* d = std::get_if<double>(&a))
    return std::bit_cast<uint64_t>(*d) == std::bit_cast<uint64_t>(std::get<double>(b));
  if (const auto* c = std::get_if<complex128>(&a))
    return std::memcmp(c, &std::get<complex128>(b), sizeof(*c)) == 0;
  if (const auto* i = std::get_if<int64_t>(&a)) return *i == std::get<int64_t>(b);
  if (const auto* f = std::get_if<bool>(&a)) return *f == std::get<bool>(b);
  return true;
}

bool same_contents(const Tensor& a, const Tensor& b) {
  if (!a.same_layout(b)) return false;
  const Tensor x = a.contiguous(), y = b.contiguous();
  return std::memcmp(x.raw(), y.raw(), static_cast<size_t>(x.nbytes())) == 0;
}

std::string at(uint32_t location) {
  const std::string where = location_text(location);
  return where.empty() ? "" : where + ": ";
}

Tensor part(const Tensor& owner, const TensorMeta& meta, int64_t offset) {
  return Tensor(meta, owner.storage(), owner.raw() + offset);
}

// A copy of the whole storage, seen as `t` sees it.
Tensor copy_of(const Tensor& t) {
  StoragePtr storage = Storage::allocate(t.storage()->nbytes());
  std::memcpy(storage->data(), t.storage()->data(), storage->nbytes());
  std::byte* data = storage->data() + t.byte_offset();
  return Tensor(t, std::move(storage), data);
}

bool is_shared(const Tensor& value, std::span<const Trace::Input> inputs,
               std::span<const Tensor> earlier) {
  for (const Trace::Input& input : inputs)
    if (input.tensor.storage() == value.storage()) return true;
  for (const Tensor& t : earlier)
    if (t.storage() == value.storage()) return true;
  return false;
}

}  // namespace

std::string Replay::confirm(const Replay& earlier) {
  if (hash != earlier.hash || inputs.size() != earlier.inputs.size() ||
      values.size() != earlier.values.size() || writes.size() != earlier.writes.size() ||
      results.size() != earlier.results.size() || captured.size() != earlier.captured.size())
    return "two calls with arguments of the same kind recorded different operators";
  for (size_t i = 0; i < numbers.size(); ++i)
    if (!same_number(numbers[i], earlier.numbers[i]))
      return "a number differs from call to call, and it is no argument";
  std::vector<bool> fresh(captured.size(), false);
  for (size_t i = 0; i < captured.size(); ++i) {
    if (captured[i].storage() == earlier.captured[i].storage()) continue;
    if (!same_contents(captured[i], earlier.captured[i])) {
      for (const Input& input : inputs)
        if (input.owner.kind == Kind::Captured && input.owner.index == static_cast<int32_t>(i))
          return at(input.location) + "a tensor from outside is another one in each call";
      return "a tensor that the function returns is another one in each call";
    }
    fresh[i] = true;
  }
  const auto is_fresh = [&](const Owner& owner) {
    return owner.kind == Kind::Captured && fresh[static_cast<size_t>(owner.index)];
  };
  for (Input& input : inputs)
    if (is_fresh(input.owner)) input.owner.kind = Kind::Constant;
  for (Result& result : results) {
    if (!is_fresh(result.owner)) continue;
    result.owner.kind = Kind::Constant;
    for (const Write& write : writes)
      if (is_fresh(write.owner) && write.owner.index == result.owner.index) {
        // Made from data, then written, then returned: the value is all there is of it.
        result.offset += captured[static_cast<size_t>(result.owner.index)].byte_offset();
        result.owner = {Kind::Value, write.value};
        break;
      }
  }
  std::erase_if(writes, [&](const Write& write) { return is_fresh(write.owner); });
  return "";
}

Tensor Replay::tensor_of(const Owner& owner, std::span<const Tensor> given) const {
  const auto index = static_cast<size_t>(owner.index);
  return owner.kind == Kind::Argument ? given[index] : captured[index];
}

bool Replay::fits(std::span<const Tensor> given) const {
  if (given.size() != arguments.size()) return false;
  for (size_t k = 0; k < given.size(); ++k) {
    const ArgumentLayout& expected = arguments[k];
    if (!given[k].same_layout(expected.meta)) return false;
    if (expected.exact && (given[k].byte_offset() != expected.offset ||
                           static_cast<int64_t>(given[k].storage()->nbytes()) != expected.nbytes))
      return false;
    size_t same = 0;
    while (given[same].storage() != given[k].storage()) ++same;
    if (static_cast<int32_t>(same) != expected.same_storage) return false;
    if (same != k && given[k].byte_offset() - given[same].byte_offset() !=
                         expected.offset - arguments[same].offset)
      return false;
    for (const Tensor& tensor : captured)
      if (tensor.storage() == given[k].storage()) return false;
  }
  return true;
}

std::optional<std::vector<Tensor>> Replay::run(std::span<const Tensor> given) {
  if (!fits(given)) return std::nullopt;
  const Timed timed(Timer::Replay);
  for (const Tensor& t : given) settle(t);
  for (const Tensor& t : captured) settle(t);
  for (const Write& write : writes) {
    const Tensor target = tensor_of(write.owner, given);
    RL_CHECK(!target.storage()->read_only(), Runtime,
             "the function writes into a tensor over read-only memory");
    compute_for_others(target);
  }
  std::vector<Tensor> made;
  if (compiled) {
    std::vector<Trace::Input> bound;
    bound.reserve(inputs.size());
    int64_t elements = 0;
    for (const Input& input : inputs) {
      bound.push_back({kNoValue, part(tensor_of(input.owner, given), input.meta, input.offset)});
      elements += bound.back().tensor.numel();
    }
    const Yielding yielding(elements >= kWorthYielding);
    made = run_plan(*compiled, bound, numbers);
    for (size_t i = 0; i < made.size(); ++i)
      if (is_shared(made[i], bound, std::span(made).first(i))) {
        Tensor own = Tensor::empty(static_cast<const TensorMeta&>(made[i]));
        kernels::copy_strided(made[i], own);
        made[i] = std::move(own);
      }
    for (const Write& write : writes) {
      const auto value = static_cast<size_t>(write.value);
      kernels::copy_strided(made[value],
                            part(tensor_of(write.owner, given), values[value], write.offset));
    }
  }
  count(Counter::Replays);
  std::vector<Tensor> out;
  out.reserve(results.size());
  std::vector<std::pair<int32_t, Tensor>> constants;  // copies, one for each
  for (const Result& result : results) {
    const auto index = static_cast<size_t>(result.owner.index);
    if (result.owner.kind == Kind::Value) {
      out.push_back(part(made[index], result.meta, result.offset));
      continue;
    }
    Tensor owner = tensor_of(result.owner, given);
    if (result.owner.kind == Kind::Constant) {
      auto it = std::find_if(constants.begin(), constants.end(),
                             [&](const auto& c) { return c.first == result.owner.index; });
      if (it == constants.end()) it = constants.insert(it, {result.owner.index, copy_of(owner)});
      owner = it->second;
    }
    out.push_back(part(owner, result.meta, result.offset));
  }
  return out;
}

}  // namespace rushlight::lazy
