// How a structure prints: PyTorch's format.
#include <algorithm>
#include <string>

#include "pytree/treespec.h"

namespace rushlight::pytree {

namespace {

constexpr std::size_t kWidestIndent = 400;  // keeps the text of a very deep tree linear

class Printer {
 public:
  explicit Printer(const State& state) : state_(state), parts_(PyList_New(0)) {}

  PyObject* print(const Node* root) {
    if (!parts_ || !open(root)) return nullptr;
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.position == frame.node->arity) {
        if (!add("])")) return nullptr;
        frames_.pop_back();
        continue;
      }
      if (frame.position != 0 && !separate()) return nullptr;
      ++frame.position;
      if (frame.leaves_left != 0) {
        --frame.leaves_left;
        if (!add("*")) return nullptr;
        continue;
      }
      const Node* child = frame.next;
      frame.next += child->span;
      frame.leaves_left = run_before(frame.next, frame.node);
      if (!open(child)) return nullptr;
    }
    Ref empty(PyUnicode_FromString(""));
    return empty ? PyUnicode_Join(empty.get(), parts_.get()) : nullptr;
  }

 private:
  struct Frame {
    const Node* node;
    const Node* next;  // next inner child
    std::uint32_t position;
    std::uint32_t leaves_left;  // before it
  };

  static std::uint32_t run_before(const Node* next, const Node* node) {
    return next < node + node->span ? next->skip : node->arity;
  }

  bool add(const char* text) {
    Ref part(PyUnicode_FromString(text));
    return part && PyList_Append(parts_.get(), part.get()) == 0;
  }

  bool separate() {
    const std::size_t indent = std::min(frames_.size() * 2, kWidestIndent);
    const std::string text = ",\n" + std::string(indent, ' ');
    Ref part(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
    return part && PyList_Append(parts_.get(), part.get()) == 0;
  }

  bool open(const Node* node) {
    Ref type(node_type(state_, *node));
    Ref name(type ? PyObject_GetAttrString(type.get(), "__name__") : nullptr);
    Ref context(name ? node_context(state_, *node) : nullptr);
    Ref part(context ? PyUnicode_FromFormat("TreeSpec(%S, %S, [", name.get(), context.get())
                     : nullptr);
    if (!part || PyList_Append(parts_.get(), part.get()) < 0) return false;
    frames_.push_back({node, node + 1, 0, run_before(node + 1, node)});
    return true;
  }

  const State& state_;
  Ref parts_;
  SmallVector<Frame, 16> frames_;
};

}  // namespace

PyObject* treespec_repr(PyObject* self) {
  TreeSpec* spec = as_treespec(self);
  if (node_count(spec) == 0) return PyUnicode_FromString("*");
  const int busy = Py_ReprEnter(self);  // a context may hold its own structure
  if (busy != 0) return busy > 0 ? PyUnicode_FromString("TreeSpec(...)") : nullptr;
  PyObject* text = guarded([&]() -> PyObject* { return Printer(*spec->state).print(spec->nodes); });
  Py_ReprLeave(self);
  return text;
}

}  // namespace rushlight::pytree
