#include "engines/constraints/schema_stretch.h"

namespace speclab::engines {

Stretch numbers_of(const SchemaPlace& schema) {
  Stretch stretch;
  const auto tighten = [&](const char* key, double& bound, bool& excludes, bool is_exclusive,
                           int sign) {
    const auto place = schema.number(key);
    if (!place) return;
    const double value = place->value().get<double>();
    if (sign * value < sign * bound) return;
    if (value != bound) excludes = false;
    bound = value;
    excludes = excludes || is_exclusive;
  };
  tighten("minimum", stretch.low, stretch.excludes_low, false, 1);
  tighten("exclusiveMinimum", stretch.low, stretch.excludes_low, true, 1);
  tighten("maximum", stretch.high, stretch.excludes_high, false, -1);
  tighten("exclusiveMaximum", stretch.high, stretch.excludes_high, true, -1);
  return stretch;
}

Stretch lengths_of(const SchemaPlace& schema, const char* least, const char* most) {
  Stretch stretch{.low = 0};
  if (const auto length = schema.length(least)) stretch.low = *length;
  if (const auto length = schema.length(most)) stretch.high = *length;
  return stretch;
}

}  // namespace speclab::engines
