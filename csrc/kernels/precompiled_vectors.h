// Compiled once per CPU capability: the vectors that most kernels are written with.
#pragma once

#include <complex>
#include <limits>

#include "cpu/vec_half.h"
#include "cpu/vec_math.h"
#include "kernels/lanes.h"
#include "precompiled.h"
