// x[index] and x[index] = value, by PyTorch's rules: ints, slices, None, … and bools give views,
// tensors and lists gather.
#include <cstring>

#include "from_data.h"
#include "function.h"
#include "lazy/recorder.h"
#include "operators.h"

namespace rushlight::python {
namespace {

const OpDef& op(const char* name) {
  const OpDef* found = find_op(name);
  RL_ASSERT(found, name);
  return *found;
}

// A view of the tensor, and what is left for gathering: one tensor per dimension of the view.
struct Indexed {
  Tensor view;
  std::vector<Tensor> tensors;
  std::vector<int> place;  // per dimension of the view: position in `tensors`, or -1

  bool one_mask = false;  // the only tensor is a mask

  bool gathers() const { return !tensors.empty(); }
  std::vector<const Tensor*> list() const {
    std::vector<const Tensor*> out;
    for (int p : place) out.push_back(p < 0 ? nullptr : &tensors[static_cast<size_t>(p)]);
    return out;
  }
};

bool is_flag(PyObject* item) {
  if (PyBool_Check(item)) return true;
  const Tensor* t = tensor_in(item);
  return t && t->rank() == 0 && t->dtype == DType::Bool;
}

bool flag_in(const Tensor& t) {
  lazy::compute(t);
  return *t.data<bool>();
}

bool is_mask(const Tensor& t) { return t.dtype == DType::Bool || t.dtype == DType::UInt8; }

std::optional<int64_t> as_int(PyObject* item) {
  if (const Tensor* t = tensor_in(item))
    if (t->rank() != 0) return std::nullopt;
  return int_argument(item);
}

// Dimensions of the indexed tensor that an item speaks about.
int64_t consumed(PyObject* item) {
  if (item == Py_None || item == Py_Ellipsis || is_flag(item)) return 0;
  if (const Tensor* t = tensor_in(item)) return is_mask(*t) ? std::max<int64_t>(t->rank(), 1) : 1;
  return 1;
}

class Indexer {
 public:
  Indexer(const Tensor& self) { out_.view = self; }

  Indexed run(PyObject* index) {
    std::vector<nb::object> items;
    if (PyTuple_Check(index)) {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); ++i)
        items.push_back(prepared(PyTuple_GET_ITEM(index, i)));
    } else {
      items.push_back(prepared(index));
    }
    int64_t total = 0, masks = 0, lists = 0;
    bool ellipsis = false;
    for (const nb::object& item : items) {
      total += consumed(item.ptr());
      if (const Tensor* t = tensor_in(item.ptr())) ++(is_mask(*t) ? masks : lists);
      if (item.ptr() == Py_Ellipsis) {
        RL_CHECK(!ellipsis, Index, "an index can only have a single ellipsis ('...')");
        ellipsis = true;
      }
    }
    const int64_t rank = out_.view.rank();
    RL_CHECK(total <= rank, Index, "too many indices for tensor of dimension ", rank);
    out_.one_mask = masks == 1 && lists == 0;
    for (const nb::object& item : items) apply(item.ptr(), rank - total);
    out_.place.resize(static_cast<size_t>(out_.view.rank()), -1);
    return std::move(out_);
  }

 private:
  // Sequences and arrays become tensors.
  static nb::object prepared(PyObject* item) {
    if (item == Py_None || item == Py_Ellipsis || PySlice_Check(item) || PyBool_Check(item) ||
        PyLong_Check(item) || tensor_in(item))
      return nb::borrow(item);
    if (PyIndex_Check(item) && !is_array(item)) return nb::steal(PyNumber_Index(item));
    if (PyList_Check(item) || PyTuple_Check(item)) {
      Tensor t = tensor_from_data(item, std::nullopt);
      if (t.numel() == 0) t = Tensor::empty(t.sizes, DType::Int64);
      return nb::cast(std::move(t));
    }
    if (is_tensor_like(item)) return nb::cast(to_tensor(item, "index"));
    RL_FAIL(Index,
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
            "valid indices (got ",
            type_of(item), ")");
  }

  static bool is_array(PyObject* item) {
    return is_tensor_like(item) && !PyLong_Check(item) && nb::hasattr(item, "__len__") &&
           nb::len_hint(item) > 0;
  }

  void apply(PyObject* item, int64_t rest) {
    Tensor& view = out_.view;
    if (item == Py_Ellipsis) {
      dim_ += rest;
    } else if (item == Py_None) {
      insert_dim();
      ++dim_;
    } else if (PySlice_Check(item)) {
      slice(item);
      ++dim_;
    } else if (is_flag(item)) {
      const bool on = tensor_in(item) ? flag_in(*tensor_in(item)) : item == Py_True;
      insert_dim();
      Tensor t = Tensor::empty(Dims{int64_t{on}}, DType::Int64);
      if (on) *t.data<int64_t>() = 0;
      gather(std::move(t));
    } else if (const auto i = as_int(item)) {
      const auto d = static_cast<size_t>(dim_);
      const int64_t size = view.sizes[d];
      RL_CHECK(*i >= -size && *i < size, Index, "index ", *i, " is out of bounds for dimension ",
               dim_, " with size ", size);
      move(d, *i < 0 ? *i + size : *i);
      view.sizes.erase(d);
      view.strides.erase(d);
    } else {
      const Tensor& t = *tensor_in(item);
      if (!is_mask(t)) {
        RL_CHECK(is_integral(t.dtype), Index,
                 "tensors used as indices must be long, int, byte or bool tensors");
        return gather(t.dtype == DType::Int64 || t.dtype == DType::Int32
                          ? t
                          : lazy::call(op("aten._to_copy.default"), to_long(t)).tensors.at(0));
      }
      mask(t);
    }
  }

  static std::vector<Argument> to_long(const Tensor& t) {
    return {&t, DType::Int64, {}, {}, {}, false, {}};
  }

  void mask(const Tensor& t) {
    for (int64_t d = 0; d < t.rank(); ++d)
      RL_CHECK(t.sizes[static_cast<size_t>(d)] == out_.view.sizes[static_cast<size_t>(dim_ + d)],
               Index, "The shape of the mask ", t.sizes, " at index ", d,
               " does not match the shape of the indexed tensor ", out_.view.sizes, " at index ",
               dim_ + d);
    const Argument args[] = {&t};
    const Tensor found = lazy::call(op("aten.nonzero.default"), args).tensors.at(0);
    for (int64_t d = 0; d < t.rank(); ++d) {
      TensorMeta column;
      column.dtype = DType::Int64;
      column.sizes = Dims{found.sizes[0]};
      column.strides = Dims{found.strides[0]};
      column.view_offset = d * found.strides[1];
      gather(found.view(column));
    }
  }

  void gather(Tensor index) {
    out_.place.resize(static_cast<size_t>(dim_), -1);
    out_.place.push_back(static_cast<int>(out_.tensors.size()));
    out_.tensors.push_back(std::move(index));
    ++dim_;
  }

  void insert_dim() {
    Tensor& view = out_.view;
    const auto d = static_cast<size_t>(dim_);
    const int64_t stride = d < view.sizes.size() ? view.sizes[d] * view.strides[d] : int64_t{1};
    view.sizes.insert(d, 1);
    view.strides.insert(d, stride);
  }

  void move(size_t d, int64_t elements) {
    Tensor& view = out_.view;
    view.set_raw(view.raw() + elements * view.strides[d] * item_size(view.dtype));
  }

  void slice(PyObject* item) {
    Py_ssize_t start, stop, step;
    nb::object plain = with_numbers(item);
    if (PySlice_Unpack(plain.ptr(), &start, &stop, &step) < 0) nb::raise_python_error();
    RL_CHECK(step > 0, Value, "step must be greater than zero");
    const auto d = static_cast<size_t>(dim_);
    const Py_ssize_t n = PySlice_AdjustIndices(out_.view.sizes[d], &start, &stop, step);
    if (n > 0) move(d, start);
    out_.view.sizes[d] = n;
    out_.view.strides[d] *= step;
  }

  // Tensors of one integer may bound a slice.
  static nb::object with_numbers(PyObject* item) {
    auto* slice = reinterpret_cast<PySliceObject*>(item);
    if (!tensor_in(slice->start) && !tensor_in(slice->stop) && !tensor_in(slice->step))
      return nb::borrow(item);
    const auto number = [](PyObject* bound) -> nb::object {
      if (!tensor_in(bound)) return nb::borrow(bound);
      const auto v = int_argument(bound);
      RL_CHECK(v, Type, "slice indices must be integers or None or have an __index__ method");
      return nb::int_(*v);
    };
    nb::object start = number(slice->start), stop = number(slice->stop), step = number(slice->step);
    return nb::steal(PySlice_New(start.ptr(), stop.ptr(), step.ptr()));
  }

  Indexed out_;
  int64_t dim_ = 0;
};

Tensor value_tensor(const Tensor& self, PyObject* value) {
  if (const Tensor* t = tensor_in(value)) return *t;
  const auto number = number_argument(value);
  RL_CHECK(number, Type, "can't assign a ", type_of(value), " to a ", dtype_name(self.dtype),
           " tensor");
  return number_tensor(*number, self.dtype);
}

// `value` in the sizes of `target`; leading dimensions of size 1 that it lacks do not matter.
Tensor expanded(Tensor value, const Tensor& target) {
  if (value.sizes == target.sizes) return value;
  while (value.rank() > 0 && value.sizes[0] == 1) {
    value.sizes.erase(0);
    value.strides.erase(0);
  }
  const Argument args[] = {&value, Dims(target.sizes), false};
  return lazy::call(op("aten.expand.default"), args).tensors.at(0);
}

}  // namespace

nb::object get_item(const Tensor& self, PyObject* index) {
  Indexed indexed = Indexer(self).run(index);
  if (!indexed.gathers()) return nb::cast(std::move(indexed.view));
  const Argument args[] = {&indexed.view, indexed.list()};
  return nb::cast(std::move(call_operator(op("aten.index.Tensor"), args).tensors.at(0)));
}

void set_item(const Tensor& self, PyObject* index, PyObject* value) {
  RL_CHECK(!self.storage() || !self.storage()->read_only(), Runtime,
           "x[...] = value: x is read-only memory");
  const Tensor source = value_tensor(self, value);
  Indexed indexed = Indexer(self).run(index);
  if (!indexed.gathers()) {
    if (source.rank() == 0 && indexed.view.rank() != 0) {
      const Argument args[] = {&indexed.view, &source};
      call_operator(op("aten.fill_.Tensor"), args);
      return;
    }
    const Tensor fitting = expanded(source, indexed.view);
    const Argument args[] = {&indexed.view, &fitting, false};
    call_operator(op("aten.copy_.default"), args);
    return;
  }
  Tensor converted = source;
  const bool fills = indexed.one_mask && source.numel() == 1;
  if (source.dtype != self.dtype || fills) {
    RL_CHECK(fills, Runtime, "Index put requires the source and destination dtypes match, got ",
             dtype_name(self.dtype), " for the destination and ", dtype_name(source.dtype),
             " for the source.");
    const Argument args[] = {&source, self.dtype, {}, {}, {}, false, {}};
    converted = lazy::call(op("aten._to_copy.default"), args).tensors.at(0);
  }
  const Argument args[] = {&indexed.view, indexed.list(), &converted, false};
  call_operator(op("aten.index_put_.default"), args);
}

}  // namespace rushlight::python
