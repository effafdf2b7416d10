#pragma once
// Whether one value can meet two schemas: oneOf forbids it.

#include <functional>

#include "engines/constraints/schema_place.h"

namespace speclab::engines {

inline constexpr std::size_t kMostComparisons =
    1'000'000;  ///< in one schema; names of properties count too

/// The schema that a reference means. @param reference  a schema with $ref
using FollowReference = std::function<SchemaPlace(const SchemaPlace& reference)>;

/// False if no value that the first schema writes or the second writes meets both. True if one
/// does, and where the schemas do not tell: patterns are not compared.
///
/// Types, enum and const, bounds and lengths tell values apart. Objects differ by a property that
/// one requires and the other lacks, or that both have with values of their own.
/// @param first, second    schemas that the reader has read, so that their keywords are right
/// @param num_comparisons  of schemas and values so far; grows
/// @throws ConfigError if it grows beyond kMostComparisons
bool may_share_a_value(const SchemaPlace& first, const SchemaPlace& second,
                       const FollowReference& follow, std::size_t& num_comparisons);

}  // namespace speclab::engines
