#include "engines/constraints/json_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::engines {
namespace {

using Json = nlohmann::ordered_json;
using Keywords = std::vector<std::string>;

const Keywords kAnnotations{"title",    "description", "default",  "examples",
                            "$schema",  "$id",         "$comment", "deprecated",
                            "readOnly", "writeOnly",   "$defs",    "definitions"};
const Keywords kTypes{"object", "array", "string", "integer", "number", "boolean", "null"};

/// Keywords that say something about values of a type.
Keywords keywords_of(const std::string& type) {
  if (type == "object") return {"properties", "required", "additionalProperties"};
  if (type == "array") return {"items", "minItems", "maxItems"};
  if (type == "string") return {"minLength", "maxLength", "pattern"};
  if (type == "integer" || type == "number")
    return {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"};
  return {};
}

void check_keywords(const SchemaPlace& schema, const Keywords& known) {
  for (const auto& [key, value] : schema.value().items())
    if (std::ranges::find(known, key) == known.end() &&
        std::ranges::find(kAnnotations, key) == kAnnotations.end())
      schema.at(key).fail("a keyword that is not supported here",
                          fmt::format("{}, and annotations", fmt::join(known, ", ")));
}

class SchemaReader {
 public:
  /// @param rounded  numbers of the text, by the double that each became
  SchemaReader(const SchemaPlace& root, std::map<double, std::string> rounded)
      : root_(root), rounded_(std::move(rounded)) {}

  Expression texts_of(const SchemaPlace& schema) {
    if (++depth_ > kMostSchemaDepth)
      schema.fail("a schema within 64 others", "at most 64 within each other");
    if (++num_parts_ > kMostSchemaParts)
      schema.fail("more than 20000 schemas, references followed", "fewer");
    Expression texts = read(schema);
    --depth_;
    return texts;
  }

 private:
  Expression read(const SchemaPlace& schema) {
    if (!schema.value().is_object()) schema.fail(schema.shown(), "a schema, which is an object");
    if (schema.has("$ref")) return read_reference(schema);
    for (const char* key : {"anyOf", "oneOf"})
      if (schema.has(key)) return read_choice(schema, key);
    const std::vector<std::string> types = types_of(schema);
    for (const char* key : {"enum", "const"})
      if (schema.has(key)) return read_values(schema, key, types);
    return read_types(schema, types);
  }

  Expression read_choice(const SchemaPlace& schema, const char* key) {
    check_keywords(schema, {key});
    std::vector<Expression> choices;
    const std::vector<SchemaPlace> schemas = schema.at(key).elements();
    for (const SchemaPlace& one : schemas) choices.push_back(texts_of(one));
    if (std::string_view(key) == "oneOf") require_apart(schemas);
    return Expression::choice(std::move(choices));
  }

  /// A text of one choice is written without a look at the others, so no value may meet two.
  void require_apart(const std::vector<SchemaPlace>& schemas) {
    const FollowReference follow = [this](const SchemaPlace& schema) {
      const SchemaPlace place = schema.at("$ref");
      return target_of(place, place.text());
    };
    for (std::size_t second = 1; second < schemas.size(); ++second)
      for (std::size_t first = 0; first < second; ++first)
        if (may_share_a_value(schemas[first], schemas[second], follow, num_comparisons_))
          schemas[second].fail(
              fmt::format("a schema of oneOf whose values may meet schema [{}] too", first),
              "schemas of which a value meets one alone, or anyOf");
  }

  /// Empty if the schema names none.
  static std::vector<std::string> types_of(const SchemaPlace& schema) {
    if (!schema.has("type")) return {};
    const SchemaPlace type = schema.at("type");
    std::vector<std::string> types;
    for (const SchemaPlace& one : type.value().is_array() ? type.elements() : std::vector{type}) {
      types.push_back(one.text());
      if (std::ranges::find(kTypes, types.back()) == kTypes.end())
        one.fail(one.shown(), fmt::format("{}", fmt::join(kTypes, ", ")));
    }
    return types;
  }

  /// A text would have another number than the schema.
  void require_exact(const SchemaPlace& place) const {
    const Json& value = place.value();
    if (value.is_number_float())
      if (const auto found = rounded_.find(value.get<double>()); found != rounded_.end())
        place.fail(
            fmt::format("the number {}, which becomes {}", escaped(found->second, 60),
                        place.shown()),
            "integers of 64 bits; decimals that a double has, as all of up to 15 digits are");
    if (value.is_array())
      for (std::size_t i = 0; i < value.size(); ++i) require_exact(place.at(i));
    if (value.is_object())
      for (const auto& [name, member] : value.items()) require_exact(place.at(name));
  }

  Expression read_values(const SchemaPlace& schema, const char* key,
                         const std::vector<std::string>& types) const {
    check_keywords(schema, {key, "type"});
    const SchemaPlace given = schema.at(key);
    std::vector<Expression> choices;
    for (const SchemaPlace& one :
         std::string_view(key) == "enum" ? given.elements() : std::vector{given}) {
      if (!types.empty() && std::ranges::none_of(types, [&](const std::string& type) {
            return is_of_type(one.value(), type);
          }))
        one.fail(one.shown(), fmt::format("values of the type {}", fmt::join(types, ", ")));
      require_exact(one);
      choices.push_back(spelt_value(one.value()));
    }
    return Expression::choice(std::move(choices));
  }

  Expression read_types(const SchemaPlace& schema, const std::vector<std::string>& types) {
    Keywords known{"type"};
    for (const std::string& type : types)
      std::ranges::copy(keywords_of(type), std::back_inserter(known));
    check_keywords(schema, types.empty()
                               ? Keywords{"type", "enum", "const", "anyOf", "oneOf", "$ref"}
                               : known);
    if (types.empty())
      schema.fail("a schema that says nothing of its values",
                  "one with type, enum, const, anyOf, oneOf or $ref");
    std::vector<Expression> choices;
    for (const std::string& type : types) choices.push_back(read_type(schema, type));
    return Expression::choice(std::move(choices));
  }

  Expression read_type(const SchemaPlace& schema, const std::string& type) {
    if (type == "integer" || type == "number")
      for (const std::string& bound : keywords_of(type))
        if (schema.has(bound.c_str())) require_exact(schema.at(bound));
    const auto read_inner = [this](const SchemaPlace& inner) { return texts_of(inner); };
    if (type == "object") return objects_of_schema(schema, read_inner);
    if (type == "array") return arrays_of_schema(schema, read_inner);
    if (type == "string") return strings_of_schema(schema);
    if (type == "integer") return integers_of_schema(schema);
    if (type == "number") return numbers_of_schema(schema);
    if (type == "null") return Expression::literal("null");
    return Expression::choice({Expression::literal("true"), Expression::literal("false")});
  }

  Expression read_reference(const SchemaPlace& schema) {
    check_keywords(schema, {"$ref"});
    const SchemaPlace place = schema.at("$ref");
    const std::string& reference = place.text();
    if (!open_.insert(reference).second)
      place.fail("a schema that refers to itself", "references without recursion");
    Expression texts = texts_of(target_of(place, reference));
    open_.erase(reference);
    return texts;
  }

  SchemaPlace target_of(const SchemaPlace& place, const std::string& reference) const {
    for (const char* folder : {"$defs", "definitions"}) {
      const std::string begin = fmt::format("#/{}/", folder);
      if (!reference.starts_with(begin) || !root_.has(folder)) continue;
      const SchemaPlace all = root_.at(folder);
      const std::string name = reference.substr(begin.size());
      if (all.has(name.c_str())) return all.at(name);
    }
    place.fail(place.shown(), "#/$defs/NAME of a schema that is there");
  }

  SchemaPlace root_;
  std::map<double, std::string> rounded_;
  std::set<std::string> open_;  ///< references that are being followed
  int depth_ = 0, num_parts_ = 0;
  std::size_t num_comparisons_ = 0;  ///< of the schemas of oneOf
};

}  // namespace

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == "boolean" ? value.is_boolean() : value.is_null();
}

Expression read_json_schema(std::string_view schema, const std::string& file) {
  const Json root = parse_schema(schema, file);
  const SchemaPlace place(file, root);
  return SchemaReader(place, rounded_numbers(schema)).texts_of(place);
}

}  // namespace speclab::engines
