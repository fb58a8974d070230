#include "trace.h"

#include <bit>

namespace rushlight::lazy {
namespace {

// How many of the latest views are looked at for one that fits.
constexpr size_t kViewsRemembered = 8;
// How many of the latest inputs are looked at.
constexpr size_t kInputsRemembered = 64;

const OpDef& as_strided() {
  static const OpDef* const op = find_op("aten.as_strided.default");
  RL_ASSERT(op);
  return *op;
}

// A number that can change from call to call: what a kernel computes with, not what it is told to
// do.
bool is_number(const ArgumentSpec& spec, const Argument& argument) {
  const bool number = std::holds_alternative<int64_t>(argument) ||
                      std::holds_alternative<double>(argument) ||
                      std::holds_alternative<complex128>(argument);
  return number && (spec.type == ArgType::Number || spec.type == ArgType::Float ||
                    spec.type == ArgType::Tensor);
}

}  // namespace

void Trace::reset() {
  constexpr size_t kMostKept = 4096;
  if (calls_.capacity() > kMostKept) {
    *this = Trace();
    return;
  }
  calls_.clear();
  sources_.clear();
  values_.clear();
  literals_.clear();
  numbers_.clear();
  inputs_.clear();
  views_.clear();
  view_offsets_.clear();
  storages.clear();
  cut_at.reset();
  bytes_ = 0;
  hash_ = Hash();
  state = State::Open;
}

ValueId Trace::add_value(const TensorMeta& meta) {
  values_.push_back(meta);
  values_.back().view_offset = 0;
  return static_cast<ValueId>(values_.size() - 1);
}

void Trace::mix(const TensorMeta& meta) {
  hash_.mix(static_cast<uint64_t>(meta.dtype) << 8 | meta.sizes.size());
  for (int64_t s : meta.sizes) hash_.mix(static_cast<uint64_t>(s));
  for (int64_t s : meta.strides) hash_.mix(static_cast<uint64_t>(s));
}

void Trace::mix(const Source& source) {
  hash_.mix(static_cast<uint64_t>(source.kind) << 32 | static_cast<uint32_t>(source.index));
}

ValueId Trace::add_input(const Tensor& tensor) {
  const size_t n = inputs_.size();
  for (size_t i = n; i-- > (n > kInputsRemembered ? n - kInputsRemembered : 0);) {
    const Tensor& known = inputs_[i].tensor;
    if (known.storage() == tensor.storage() && known.raw() == tensor.raw() &&
        known.same_layout(tensor))
      return inputs_[i].value;
  }
  const ValueId value = add_value(tensor);
  inputs_.push_back({value, tensor});
  mix(tensor);
  return value;
}

ValueId Trace::add_view(ValueId base, const TensorMeta& meta, int64_t offset) {
  const size_t n = views_.size();
  for (size_t i = n; i-- > (n > kViewsRemembered ? n - kViewsRemembered : 0);)
    if (views_[i].first == base && view_offsets_[i] == offset &&
        this->meta(views_[i].second).same_layout(meta))
      return views_[i].second;
  const Argument args[] = {static_cast<const Tensor*>(nullptr), meta.sizes, meta.strides, offset};
  const ValueId view = add_call(as_strided(), args, {&base, 1}, {&meta, 1});
  bytes_ -= meta.nbytes();
  views_.emplace_back(base, view);
  view_offsets_.push_back(offset);
  return view;
}

Source Trace::literal(const Argument& argument) {
  hash_.mix(argument.index());
  std::visit(
      [&](const auto& v) {
        using V = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<V, bool> || std::is_same_v<V, int64_t> ||
                      std::is_same_v<V, DType> || std::is_same_v<V, MemoryFormat>) {
          hash_.mix(static_cast<uint64_t>(v));
        } else if constexpr (std::is_same_v<V, double>) {
          hash_.mix(std::bit_cast<uint64_t>(v));
        } else if constexpr (std::is_same_v<V, complex128>) {
          hash_.mix(std::bit_cast<uint64_t>(v.real()));
          hash_.mix(std::bit_cast<uint64_t>(v.imag()));
        } else if constexpr (std::is_same_v<V, std::string>) {
          hash_.mix(std::string_view(v));
        } else if constexpr (std::is_same_v<V, std::vector<double>>) {
          for (double x : v) hash_.mix(std::bit_cast<uint64_t>(x));
          hash_.mix(v.size());
        } else if constexpr (std::is_same_v<V, Dims> || std::is_same_v<V, std::vector<uint8_t>>) {
          for (auto x : v) hash_.mix(static_cast<uint64_t>(x));
          hash_.mix(v.size());
        }
      },
      argument);
  literals_.push_back(argument);
  return {Source::Kind::Literal, static_cast<int32_t>(literals_.size() - 1), 0};
}

Source Trace::source(const ArgumentSpec& spec, const Argument& argument, const ValueId*& next) {
  if (std::holds_alternative<const Tensor*>(argument)) {
    const Source value{Source::Kind::Value, *next++, 0};
    mix(value);
    return value;
  }
  if (const auto* list = std::get_if<std::vector<const Tensor*>>(&argument)) {
    // The entries stand before the call's own sources.
    const Source source{Source::Kind::List, static_cast<int32_t>(sources_.size()),
                        static_cast<int32_t>(list->size())};
    hash_.mix(list->size());
    for (const Tensor* t : *list) {
      if (t) {
        sources_.push_back({Source::Kind::Value, *next++, 0});
        mix(sources_.back());
      } else {
        sources_.push_back(literal(Argument{}));
      }
    }
    return source;
  }
  if (!is_number(spec, argument)) return literal(argument);
  hash_.mix(argument.index() << 8);
  numbers_.push_back(argument);
  return {Source::Kind::Number, static_cast<int32_t>(numbers_.size() - 1), 0};
}

ValueId Trace::add_call(const OpDef& op, std::span<const Argument> args,
                        std::span<const ValueId> values, std::span<const TensorMeta> outputs) {
  hash_.mix(reinterpret_cast<uintptr_t>(&op));
  const ValueId* next = values.data();
  std::array<Source, 16> few;
  std::vector<Source> many(args.size() > few.size() ? args.size() : 0);
  Source* own = many.empty() ? few.data() : many.data();
  for (size_t i = 0; i < args.size(); ++i) own[i] = source(op.arguments[i], args[i], next);
  Call call{&op,
            static_cast<uint32_t>(sources_.size()),
            static_cast<uint32_t>(args.size()),
            static_cast<ValueId>(values_.size()),
            static_cast<uint32_t>(outputs.size()),
            0};
  sources_.insert(sources_.end(), own, own + args.size());
  for (const TensorMeta& meta : outputs) {
    mix(meta);
    add_value(meta);
    bytes_ += meta.nbytes();
  }
  calls_.push_back(call);
  return call.first_output;
}

ValueId Trace::add_scatter(ValueId base, ValueId source, const TensorMeta& region) {
  hash_.mix(0);
  const uint32_t first = static_cast<uint32_t>(sources_.size());
  const Source own[] = {{Source::Kind::Value, base, 0},
                        {Source::Kind::Value, source, 0},
                        literal(region.sizes),
                        literal(region.strides),
                        literal(region.view_offset)};
  mix(own[0]);
  mix(own[1]);
  sources_.insert(sources_.end(), std::begin(own), std::end(own));
  const TensorMeta out = meta(base);
  bytes_ += out.nbytes();
  const ValueId value = add_value(out);
  calls_.push_back({nullptr, first, 5, value, 1, 0});
  return value;
}

}  // namespace rushlight::lazy
