// rushlight: runs programs that torch.export saved. Everything a C++ program needs:
//
//   using namespace rushlight;
//   Model model("model.pt2");
//   Tensor x = Tensor::empty(Dims{1, 4}, DType::Float32);
//   std::fill_n(x.data<float>(), x.numel(), 1.0f);
//   Tensor y = model.run({x}).at(0);
//
// Link with the CMake target rushlight::rushlight (find_package(rushlight)).
#pragma once

#include "core/dims.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/half.h"
#include "core/scalar.h"
#include "core/storage.h"
#include "core/tensor.h"
#include "model.h"
