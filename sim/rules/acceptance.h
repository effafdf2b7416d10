#pragma once
// All acceptance rules, one file each. They are templates over the scalar and the source of chance.
// The engines run them in float, and the tests enumerate them in double.

#include "sim/rules/block.h"
#include "sim/rules/lenient.h"
#include "sim/rules/match.h"
#include "sim/rules/point_mass.h"
#include "sim/rules/rejection.h"
#include "sim/rules/several_drafts.h"
#include "sim/rules/typical.h"
