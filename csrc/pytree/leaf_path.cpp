#include "pytree/leaf_path.h"

#include "pytree/paths.h"

namespace rushlight::pytree {

PyObject* leaf_path(State& state, const Node* root, std::size_t leaf) {
  RefVector<32> keys;
  for (const Node* node = root; node != nullptr;) {
    const Node* inside = nullptr;  // the inner child that holds the leaf
    std::size_t position = 0;      // of the child among its siblings
    const Node* end = node + node->span;
    for (const Node* child = node + 1; child < end && leaf >= child->skip; child += child->span) {
      leaf -= child->skip;
      position += child->skip;
      if (leaf < child->leaves) {
        inside = child;
        break;
      }
      leaf -= child->leaves;
      ++position;
    }
    if (inside == nullptr) position += leaf;
    Ref names;
    if (!child_names(state, *node, names)) return nullptr;
    PyObject* key = child_key(state, *node, names.get(), nullptr, position);
    if (key == nullptr) return nullptr;
    keys.push_back(key);
    node = inside;
  }
  return make_path(state, keys.data(), keys.size(), nullptr);
}

}  // namespace rushlight::pytree
