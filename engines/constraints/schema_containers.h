#pragma once
// Objects, arrays and strings of a JSON schema.

#include "engines/constraints/expression.h"
#include "engines/constraints/schema_place.h"

namespace speclab::engines {

/// Reads the schemas within a schema.
class SchemaValues {
 public:
  virtual ~SchemaValues() = default;
  virtual Expression texts_of(const SchemaPlace& schema) = 0;
};

/// Properties stand in the order of the schema; those that are not required may be missing.
/// @throws ConfigError if a required property is not described
Expression objects_of_schema(const SchemaPlace& schema, SchemaValues& values);
/// @throws ConfigError if elements are not described, or minItems is above maxItems
Expression arrays_of_schema(const SchemaPlace& schema, SchemaValues& values);
/// @throws ConfigError if minLength is above maxLength, or a pattern stands beside them
Expression strings_of_schema(const SchemaPlace& schema);

}  // namespace speclab::engines
