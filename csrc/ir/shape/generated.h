// The declarations of shape rules stand in the generated tables; a rule needs the types only.
#pragma once

#include "ir/shape/rules.h"
