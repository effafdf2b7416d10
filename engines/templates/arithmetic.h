#pragma once
#include "engines/templates/rendering.h"
#include "engines/templates/tree.h"

namespace speclab::templates {

/// Python's operators on integers. A quotient and a negative power are real.
/// @throws TemplateError for a division by zero, and beyond 127 bits
Value calculated_whole(const Rendering& rendering, Sign sign, Integer a, Integer b);
/// Python's operators on floats. @throws TemplateError for a division by zero and a complex power
Value calculated_real(const Rendering& rendering, Sign sign, double a, double b);

}  // namespace speclab::templates
