#pragma once
#include <limits>

#include "engines/constraints/schema_place.h"

namespace speclab::engines {

/// Numbers from `low` to `high`; each bound is excluded where its flag says so.
struct Stretch {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool excludes_low = false, excludes_high = false;

  /// Whether a number lies in both.
  bool meets(const Stretch& other) const {
    const double from = low > other.low ? low : other.low;
    const double to = high < other.high ? high : other.high;
    return from < to || (from == to && holds(from) && other.holds(from));
  }
  bool holds(double value) const {
    return (value > low || (value == low && !excludes_low)) &&
           (value < high || (value == high && !excludes_high));
  }
};

/// Numbers between the bounds of a schema.
Stretch numbers_of(const SchemaPlace& schema);
/// Numbers of characters or elements. @param least, most  keywords of the schema
Stretch lengths_of(const SchemaPlace& schema, const char* least, const char* most);

}  // namespace speclab::engines
