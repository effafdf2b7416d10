#pragma once
#include "engines/constraints/expression.h"
#include "engines/constraints/schema_place.h"

namespace speclab::engines {

/// Whole numbers in digits, without -0, a fraction or an exponent, between the bounds of a schema.
/// @throws ConfigError if no number lies between them
Expression integers_of_schema(const SchemaPlace& schema);

/// Numbers as JSON has them; with bounds: without an exponent and -0.
/// @throws ConfigError if no number lies between them
Expression numbers_of_schema(const SchemaPlace& schema);

}  // namespace speclab::engines
