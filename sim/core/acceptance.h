#pragma once
// All acceptance rules, one file each. They are templates over the scalar and the source of chance.
// The engines run them in float, and the tests enumerate them in double.

#include "sim/core/rules/block.h"
#include "sim/core/rules/lenient.h"
#include "sim/core/rules/match.h"
#include "sim/core/rules/point_mass.h"
#include "sim/core/rules/rejection.h"
#include "sim/core/rules/several_drafts.h"
#include "sim/core/rules/typical.h"
