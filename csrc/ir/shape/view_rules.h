// View rules that other rules are built from.
#pragma once

#include "ir/shape/rules.h"

namespace rushlight::shape {

void unsqueeze(const TensorMeta& self, int64_t dim, TensorMeta& out);
void squeeze(const TensorMeta& self, IntList dims, TensorMeta& out);
void select(const TensorMeta& self, int64_t dim, int64_t index, TensorMeta& out);
void atleast_1d(const TensorMeta& self, TensorMeta& out);
void atleast_2d(const TensorMeta& self, TensorMeta& out);
void atleast_3d(const TensorMeta& self, TensorMeta& out);
void cat(TensorList tensors, int64_t dim, TensorMeta& out);

}  // namespace rushlight::shape
