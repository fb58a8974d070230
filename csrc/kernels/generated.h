// The declarations of this family's kernels stand in its generated table; a kernel file needs the
// types only.
#pragma once

#include "kernels/kernel.h"
