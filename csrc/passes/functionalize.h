// In-place operators and writes through views become values.
#pragma once

#include "runtime/program.h"

namespace rushlight {

/// Rewrites `program.graph` so that no node writes into its inputs. An in-place operator becomes
/// its functional twin; a write through a view becomes a `kScatterView` node on the tensor that
/// owns the memory, and every other view of that memory is taken again from the new value when it
/// is next used. Buffers and user inputs that were written gain an output of kind BufferMutation
/// or InputMutation, unless the file declares it already.
///
/// Which tensors share memory follows from the op table (views) and, for operators such as reshape
/// that view only when they can, from the sizes and strides that the exporter recorded.
void functionalize(Program& program);

}  // namespace rushlight
