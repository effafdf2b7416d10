#pragma once
// Acceptance rules as scalar truth, one file a rule: templates over the scalar and the source of
// chance, run by the engines in float and by the tests' enumerating oracle in double.

#include "sim/core/rules/block.h"
#include "sim/core/rules/lenient.h"
#include "sim/core/rules/match.h"
#include "sim/core/rules/point_mass.h"
#include "sim/core/rules/rejection.h"
#include "sim/core/rules/several_drafts.h"
#include "sim/core/rules/typical.h"
