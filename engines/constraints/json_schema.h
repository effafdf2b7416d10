#pragma once
#include <string>
#include <string_view>

#include "engines/constraints/expression.h"

namespace speclab::engines {

inline constexpr std::size_t kMostSchemaBytes = 1 << 20;
inline constexpr int kMostSchemaDepth = 64;      ///< schemas within schemas, references followed
inline constexpr int kMostSchemaParts = 20'000;  ///< schemas, each as often as it is referred to

/// Reads a JSON schema as an expression about JSON texts.
///
/// Known are type (also a list), enum, const, anyOf, oneOf of schemas of which no value meets two,
/// $ref to $defs without recursion; properties, required and additionalProperties false; items,
/// minItems and maxItems; minLength and maxLength in characters, or pattern; minimum, maximum and
/// the exclusive ones. Properties stand in the order of the schema, and no others are written.
/// Annotations (title, description, default, examples and their like) are read over.
/// @param file  for messages
/// @throws ConfigError with the path of any other keyword, of a wrong value, and of what no text
/// meets
/// @source JSON Schema, draft 2020-12
Expression read_json_schema(std::string_view schema, const std::string& file);

}  // namespace speclab::engines
