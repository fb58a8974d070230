#include "operators.h"

#include "function.h"

namespace rushlight::python {
namespace {

// Operators call faces of their own, so that what is assigned to rushlight.add changes nothing.
enum Which : size_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFloorDiv,
  kMod,
  kPow,
  kMatmul,
  kAnd,
  kOr,
  kXor,
  kLeft,
  kRight,
  kReverseSub,
  kReciprocal,
  kNeg,
  kAbs,
  kNot,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kCount
};
constexpr const char* kNames[kCount] = {"add",
                                        "sub",
                                        "mul",
                                        "div",
                                        "floor_divide",
                                        "remainder",
                                        "pow",
                                        "matmul",
                                        "bitwise_and",
                                        "bitwise_or",
                                        "bitwise_xor",
                                        "bitwise_left_shift",
                                        "bitwise_right_shift",
                                        "rsub",
                                        "reciprocal",
                                        "neg",
                                        "abs",
                                        "bitwise_not",
                                        "eq",
                                        "ne",
                                        "lt",
                                        "le",
                                        "gt",
                                        "ge"};

const Face& face(Which which) {
  static std::array<std::unique_ptr<Face>, kCount> faces;  // guarded by the GIL
  if (!faces[which])
    faces[which] =
        std::make_unique<Face>(kNames[which], std::string("aten.") + kNames[which], false);
  return *faces[which];
}

const Face& in_place_face(Which which) {
  static std::array<std::unique_ptr<Face>, kCount> faces;  // guarded by the GIL
  if (!faces[which]) {
    const std::string name = std::string(kNames[which]) + "_";
    faces[which] = std::make_unique<Face>(name, "aten." + name, true);
  }
  return *faces[which];
}

PyObject* or_not_implemented(PyObject* result) {
  return result ? result : Py_NewRef(Py_NotImplemented);
}

// The arguments of `left op right`, where `right` alone is a tensor.
PyObject* reflected(Which which, PyObject* left, PyObject* right) {
  switch (which) {
    case kAdd:
    case kMul:
    case kAnd:
    case kOr:
    case kXor:
      return face(which).try_call({right, left});
    case kSub:
      return face(kReverseSub).try_call({right, left});
    case kDiv: {
      // PyTorch's own way, which rounds twice.
      const nb::object inverse = nb::steal(face(kReciprocal).call({right}));
      return face(kMul).try_call({inverse.ptr(), left});
    }
    default:
      return number_argument(left) ? face(which).try_call({left, right}) : nullptr;
  }
}

template <Which which>
PyObject* binary(PyObject* left, PyObject* right) {
  return guarded([&] {
    if (tensor_in(left)) return or_not_implemented(face(which).try_call({left, right}));
    return or_not_implemented(reflected(which, left, right));
  });
}

PyObject* power(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
  return binary<kPow>(left, right);
}

template <Which which>
PyObject* in_place(PyObject* self, PyObject* other) {
  return guarded([&] { return or_not_implemented(in_place_face(which).try_call({self, other})); });
}

PyObject* in_place_power(PyObject* self, PyObject* other, PyObject*) {
  return in_place<kPow>(self, other);
}

template <Which which>
PyObject* unary(PyObject* self) {
  return guarded([&] { return face(which).call({self}); });
}

PyObject* positive(PyObject* self) {
  return guarded([&] {
    RL_CHECK(tensor_in(self)->dtype != DType::Bool, Runtime,
             "The `+` operator, on a bool tensor is not supported.");
    return Py_NewRef(self);
  });
}

PyObject* compare(PyObject* self, PyObject* other, int op) {
  constexpr Which which[] = {kLt, kLe, kEq, kNe, kGt, kGe};  // in the order of Py_LT…Py_GE
  return guarded([&] { return or_not_implemented(face(which[op]).try_call({self, other})); });
}

Py_hash_t hash(PyObject* self) {
  const auto address = reinterpret_cast<uintptr_t>(self);
  return static_cast<Py_hash_t>(address >> 4);
}

PyObject* subscript(PyObject* self, PyObject* index) {
  return guarded([&] { return get_item(*tensor_in(self), index).release().ptr(); });
}

int assign(PyObject* self, PyObject* index, PyObject* value) {
  return guarded(
      [&] {
        RL_CHECK(value, Type, "Tensor does not support deleting items");
        set_item(*tensor_in(self), index, value);
        return 0;
      },
      -1);
}

Py_ssize_t length(PyObject* self) {
  return guarded(
      [&]() -> Py_ssize_t {
        const Tensor& t = *tensor_in(self);
        RL_CHECK(t.rank() > 0, Type, "len() of a 0-d tensor");
        return t.sizes[0];
      },
      Py_ssize_t{-1});
}

PyObject* iterate(PyObject* self) {
  return guarded([&] {
    const Tensor& t = *tensor_in(self);
    RL_CHECK(t.rank() > 0, Type, "iteration over a 0-d tensor");
    static const Face unbind("unbind", "aten.unbind", true);
    return PyObject_GetIter(nb::steal(unbind.call({self})).ptr());
  });
}

int contains(PyObject* self, PyObject* value) {
  return guarded(
      [&] {
        RL_CHECK(tensor_in(value) || number_argument(value), Runtime,
                 "Tensor.__contains__ only supports Tensor or scalar, but you passed in a ",
                 type_of(value), ".");
        static const Face any("any", "aten.any", true);
        const nb::object equal = nb::steal(face(kEq).call({self, value}));
        return PyObject_IsTrue(nb::steal(any.call({equal.ptr()})).ptr());
      },
      -1);
}

template <class F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

PyType_Slot* tensor_slots() {
  static PyType_Slot slots[] = {{Py_nb_add, slot(&binary<kAdd>)},
                                {Py_nb_subtract, slot(&binary<kSub>)},
                                {Py_nb_multiply, slot(&binary<kMul>)},
                                {Py_nb_true_divide, slot(&binary<kDiv>)},
                                {Py_nb_floor_divide, slot(&binary<kFloorDiv>)},
                                {Py_nb_remainder, slot(&binary<kMod>)},
                                {Py_nb_power, slot(&power)},
                                {Py_nb_matrix_multiply, slot(&binary<kMatmul>)},
                                {Py_nb_and, slot(&binary<kAnd>)},
                                {Py_nb_or, slot(&binary<kOr>)},
                                {Py_nb_xor, slot(&binary<kXor>)},
                                {Py_nb_lshift, slot(&binary<kLeft>)},
                                {Py_nb_rshift, slot(&binary<kRight>)},
                                {Py_nb_inplace_add, slot(&in_place<kAdd>)},
                                {Py_nb_inplace_subtract, slot(&in_place<kSub>)},
                                {Py_nb_inplace_multiply, slot(&in_place<kMul>)},
                                {Py_nb_inplace_true_divide, slot(&in_place<kDiv>)},
                                {Py_nb_inplace_floor_divide, slot(&in_place<kFloorDiv>)},
                                {Py_nb_inplace_remainder, slot(&in_place<kMod>)},
                                {Py_nb_inplace_power, slot(&in_place_power)},
                                {Py_nb_inplace_and, slot(&in_place<kAnd>)},
                                {Py_nb_inplace_or, slot(&in_place<kOr>)},
                                {Py_nb_inplace_xor, slot(&in_place<kXor>)},
                                {Py_nb_inplace_lshift, slot(&in_place<kLeft>)},
                                {Py_nb_inplace_rshift, slot(&in_place<kRight>)},
                                {Py_nb_negative, slot(&unary<kNeg>)},
                                {Py_nb_positive, slot(&positive)},
                                {Py_nb_absolute, slot(&unary<kAbs>)},
                                {Py_nb_invert, slot(&unary<kNot>)},
                                {Py_tp_richcompare, slot(&compare)},
                                {Py_tp_hash, slot(&hash)},
                                {Py_tp_iter, slot(&iterate)},
                                {Py_sq_contains, slot(&contains)},
                                {Py_mp_length, slot(&length)},
                                {Py_mp_subscript, slot(&subscript)},
                                {Py_mp_ass_subscript, slot(&assign)},
                                {0, nullptr}};
  return slots;
}

}  // namespace rushlight::python
