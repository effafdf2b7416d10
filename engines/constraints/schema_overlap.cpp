// Whether one value can meet two schemas: oneOf forbids it.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "engines/constraints/json_schema.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

using Json = SchemaPlace::Json;
using Names = std::set<std::string>;

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

/// Numbers of characters or elements. @param least, most  keywords of the schema
Stretch lengths_of(const SchemaPlace& schema, const char* least, const char* most) {
  Stretch stretch{.low = 0};
  if (const auto length = schema.length(least)) stretch.low = *length;
  if (const auto length = schema.length(most)) stretch.high = *length;
  return stretch;
}

std::vector<std::string> types_of(const SchemaPlace& schema) {
  const SchemaPlace type = schema.at("type");
  if (!type.value().is_array()) return {type.text()};
  return type.value().get<std::vector<std::string>>();
}

/// Values of enum or const; nothing where the schema has neither.
std::optional<std::vector<const Json*>> values_of(const SchemaPlace& schema) {
  if (schema.has("const")) return std::vector{&schema.value().at("const")};
  if (!schema.has("enum")) return std::nullopt;
  std::vector<const Json*> values;
  for (const Json& value : schema.value().at("enum")) values.push_back(&value);
  return values;
}

bool are_equal_integers(const Json& a, const Json& b) {
  const bool is_negative_a = !a.is_number_unsigned() && a.get<std::int64_t>() < 0,
             is_negative_b = !b.is_number_unsigned() && b.get<std::int64_t>() < 0;
  return is_negative_a == is_negative_b && a.get<std::uint64_t>() == b.get<std::uint64_t>();
}

/// Objects are equal in any order of their members.
bool are_equal(const Json& a, const Json& b) {
  if (a.is_number_integer() && b.is_number_integer()) return are_equal_integers(a, b);
  if (!a.is_structured() || !b.is_structured()) return a == b;
  return nlohmann::json(a) == nlohmann::json(b);
}

bool is_whole(const Json& value) {
  return value.is_number() && std::floor(value.get<double>()) == value.get<double>();
}

class Overlap {
 public:
  Overlap(const FollowReference& follow, std::size_t& num_comparisons)
      : follow_(follow), num_comparisons_(num_comparisons) {}

  bool of(const SchemaPlace& a, const SchemaPlace& b) const {
    count(a, 1);
    if (a.has("$ref")) return of(follow_(a), b);
    if (b.has("$ref")) return of(a, follow_(b));
    for (const char* key : {"anyOf", "oneOf"})
      if (a.has(key) || b.has(key)) {
        const SchemaPlace& many = a.has(key) ? a : b;
        const SchemaPlace& other = a.has(key) ? b : a;
        return std::ranges::any_of(many.at(key).elements(),
                                   [&](const SchemaPlace& one) { return of(one, other); });
      }
    if (const auto values = values_of(a)) return of_values(*values, b);
    if (const auto values = values_of(b)) return of_values(*values, a);
    return of_types(a, b);
  }

 private:
  void count(const SchemaPlace& schema, std::size_t comparisons) const {
    if ((num_comparisons_ += comparisons) > kMostComparisons)
      schema.fail("a oneOf whose schemas take more than a million comparisons to tell apart",
                  "fewer schemas and values, or anyOf");
  }

  bool of_values(const std::vector<const Json*>& values, const SchemaPlace& schema) const {
    return std::ranges::any_of(values, [&](const Json* value) { return may_hold(schema, *value); });
  }

  bool may_hold(const SchemaPlace& schema, const Json& value) const {
    const std::size_t parts = 1 + (value.is_structured() ? value.size() : 0);
    if (const auto values = values_of(schema)) {
      count(schema, values->size() * parts);
      return std::ranges::any_of(*values, [&](const Json* one) { return are_equal(*one, value); });
    }
    count(schema, parts);
    const bool has_a_type = std::ranges::any_of(types_of(schema), [&](const std::string& type) {
      return type == "integer" ? is_whole(value) : is_of_type(value, type);
    });
    if (!has_a_type) return false;
    if (value.is_number()) return numbers_of(schema).holds(value.get<double>());
    if (value.is_string())
      return lengths_of(schema, "minLength", "maxLength")
          .holds(static_cast<double>(characters_of(value.get_ref<const std::string&>()).size()));
    if (value.is_array())
      return lengths_of(schema, "minItems", "maxItems").holds(static_cast<double>(value.size()));
    return !value.is_object() || std::ranges::all_of(required_of(schema), [&](const auto& name) {
      return value.contains(name);
    });
  }

  bool of_types(const SchemaPlace& a, const SchemaPlace& b) const {
    for (const std::string& one : types_of(a))
      for (const std::string& other : types_of(b))
        if (of_type(a, one, b, other)) return true;
    return false;
  }

  bool of_type(const SchemaPlace& a, const std::string& one, const SchemaPlace& b,
               const std::string& other) const {
    const auto is_number = [](const std::string& t) { return t == "integer" || t == "number"; };
    if (is_number(one) && is_number(other)) return numbers_of(a).meets(numbers_of(b));
    if (one != other) return false;
    if (one == "object") return objects_meet(a, b) || objects_meet(b, a);
    if (one == "array") return arrays_meet(a, b);
    return one != "string" ||
           lengths_of(a, "minLength", "maxLength").meets(lengths_of(b, "minLength", "maxLength"));
  }

  bool arrays_meet(const SchemaPlace& a, const SchemaPlace& b) const {
    const Stretch own = lengths_of(a, "minItems", "maxItems"),
                  others = lengths_of(b, "minItems", "maxItems");
    if (!own.meets(others)) return false;
    const bool may_be_empty = std::max(own.low, others.low) == 0;
    return may_be_empty || !a.has("items") || !b.has("items") || of(a.at("items"), b.at("items"));
  }

  static Names required_of(const SchemaPlace& schema) {
    return schema.has("required") ? schema.at("required").value().get<Names>() : Names{};
  }

  /// Whether an object with properties of `writer` alone may meet `reader`, whose own properties
  /// are all that it allows only where additionalProperties says so.
  bool objects_meet(const SchemaPlace& writer, const SchemaPlace& reader) const {
    const SchemaPlace own = writer.at("properties"), others = reader.at("properties");
    const Names required = required_of(writer), wanted = required_of(reader);
    count(writer, (required.size() + wanted.size()) * (own.value().size() + others.value().size()));
    const auto lacks = [](const SchemaPlace& properties) {
      return [&properties](const std::string& name) { return !properties.has(name.c_str()); };
    };
    if (std::ranges::any_of(wanted, lacks(own))) return false;
    if (reader.has("additionalProperties") && std::ranges::any_of(required, lacks(others)))
      return false;
    Names stand = required;
    stand.insert(wanted.begin(), wanted.end());
    return std::ranges::all_of(stand, [&](const std::string& name) {
      return !others.has(name.c_str()) || of(own.at(name), others.at(name));
    });
  }

  const FollowReference& follow_;
  std::size_t& num_comparisons_;
};

}  // namespace

bool may_share_a_value(const SchemaPlace& first, const SchemaPlace& second,
                       const FollowReference& follow, std::size_t& num_comparisons) {
  return Overlap(follow, num_comparisons).of(first, second);
}

}  // namespace speclab::engines
