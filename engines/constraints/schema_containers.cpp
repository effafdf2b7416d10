// Objects, arrays and strings of a JSON schema, and JSON spelt as expressions.

#include <algorithm>

#include "engines/constraints/automaton.h"
#include "engines/constraints/expression.h"
#include "engines/constraints/json_schema.h"
#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

/// Characters that stand for themselves within a string.
const CharacterSet kPlain{{U' ', U'!'}, {U'#', U'['}, {U']', 0x10FFFF}};

/// The character as it stands between quotes.
std::string spelling_of(char32_t character) {
  const std::string quoted = nlohmann::json(utf8_of(character)).dump();
  return quoted.substr(1, quoted.size() - 2);
}

Expression with_blank(const char* sign) {
  return Expression::sequence(
      {Expression::literal(sign), Expression::optional(Expression::literal(" "))});
}

struct Property {
  Expression text;  ///< its name and its value
  bool is_required = false;
};

/// Both bounds of a length. @throws ConfigError if the first is above the second
std::pair<std::int32_t, std::optional<std::int32_t>> lengths(const SchemaPlace& schema,
                                                             const char* least, const char* most) {
  const std::int32_t low = schema.length(least).value_or(0);
  const auto high = schema.length(most);
  if (high && low > *high)
    schema.at(least).fail(schema.at(least).shown(), std::string("at most the value of ") + most);
  return {low, high};
}

std::vector<std::string> required_names(const SchemaPlace& schema) {
  std::vector<std::string> names;
  if (!schema.has("required") || schema.at("required").value() == SchemaPlace::Json::array())
    return names;
  for (const SchemaPlace& name : schema.at("required").elements()) {
    names.push_back(name.text());
    if (!schema.at("properties").has(names.back().c_str()))
      name.fail(name.shown() + " is required, and no text can have it",
                "names of properties, because no others are written");
  }
  return names;
}

std::vector<Property> properties_of(const SchemaPlace& schema, const ReadSchema& read) {
  if (schema.has("additionalProperties") &&
      schema.at("additionalProperties").value() != SchemaPlace::Json(false))
    schema.at("additionalProperties")
        .fail(schema.at("additionalProperties").shown(), "false, which is taken if it is missing");
  if (!schema.has("properties") || !schema.at("properties").value().is_object())
    schema.fail("objects without an object of properties", "properties");
  const std::vector<std::string> required = required_names(schema);
  std::vector<Property> properties;
  for (const auto& [name, value] : schema.at("properties").value().items())
    properties.push_back({Expression::sequence({spelt_string(name), spelt_colon(),
                                                read(schema.at("properties").at(name))}),
                          std::ranges::find(required, name) != required.end()});
  return properties;
}

/// Properties from `first` on, each behind a comma.
std::vector<Expression> with_commas(const std::vector<Property>& properties, std::size_t first) {
  std::vector<Expression> parts;
  for (std::size_t i = first; i < properties.size(); ++i) {
    const Expression one = Expression::sequence({spelt_comma(), properties[i].text});
    parts.push_back(properties[i].is_required ? one : Expression::optional(one));
  }
  return parts;
}

/// An object is spelled once for each property that may stand first. This refuses one that has too
/// many places before it is spelled.
void check_size(const SchemaPlace& schema, const std::vector<Property>& properties) {
  constexpr std::size_t kFewestBytes = 4;  // of a property: two quotes, a colon and a value
  std::size_t bytes = 0;
  for (std::size_t first = 0; first < properties.size(); ++first) {
    bytes += kFewestBytes * (properties.size() - first);
    if (bytes > kMostPlaces)
      schema.at("properties")
          .fail(
              std::to_string(properties.size()) + " properties, of which too many may stand first",
              "fewer of them, or a required one before them");
    if (properties[first].is_required) return;
  }
}

}  // namespace

Expression spelt_characters(const CharacterSet& set) {
  std::vector<Expression> spellings{Expression::characters(set.intersection(kPlain))};
  const CharacterSet escaped = set.intersection(kPlain.complement());
  for (const CharacterRange& range : escaped.ranges())
    for (char32_t one = range.first; one <= range.last; ++one)
      spellings.push_back(Expression::literal(spelling_of(one)));
  return Expression::choice(std::move(spellings));
}

Expression spelt_expression(const Expression& expression) {
  if (expression.kind() == Expression::Kind::characters) return spelt_characters(expression.set());
  std::vector<Expression> parts;
  for (const Expression& part : expression.parts()) parts.push_back(spelt_expression(part));
  switch (expression.kind()) {
    case Expression::Kind::sequence:
      return Expression::sequence(std::move(parts));
    case Expression::Kind::choice:
      return Expression::choice(std::move(parts));
    default:
      return Expression::repeated(parts.front(), expression.least(), expression.most());
  }
}

Expression spelt_string(std::string_view text) {
  SPECLAB_EXPECT(is_valid_utf8(text), "a string in UTF-8");
  return Expression::literal(nlohmann::json(text).dump());
}

Expression spelt_comma() { return with_blank(","); }
Expression spelt_colon() { return with_blank(":"); }

Expression spelt_between(std::string_view open, std::vector<Expression> parts,
                         std::string_view close) {
  parts.insert(parts.begin(), Expression::literal(open));
  parts.push_back(Expression::literal(close));
  return Expression::sequence(std::move(parts));
}

Expression spelt_value(const nlohmann::ordered_json& value) {
  if (!value.is_structured()) return Expression::literal(value.dump());
  std::vector<Expression> parts;
  for (const auto& [key, item] : value.items()) {
    if (!parts.empty()) parts.push_back(spelt_comma());
    if (value.is_object()) {
      parts.push_back(spelt_string(key));
      parts.push_back(spelt_colon());
    }
    parts.push_back(spelt_value(item));
  }
  return value.is_object() ? spelt_between("{", std::move(parts), "}")
                           : spelt_between("[", std::move(parts), "]");
}

Expression objects_of_schema(const SchemaPlace& schema, const ReadSchema& read) {
  const std::vector<Property> properties = properties_of(schema, read);
  check_size(schema, properties);
  std::vector<Expression> choices;  // by the property that stands first
  std::size_t first = 0;
  for (bool may_be_first = true; may_be_first && first < properties.size(); ++first) {
    std::vector<Expression> parts = with_commas(properties, first + 1);
    parts.insert(parts.begin(), properties[first].text);
    choices.push_back(spelt_between("{", std::move(parts), "}"));
    may_be_first = !properties[first].is_required;
  }
  if (std::ranges::none_of(properties, &Property::is_required))
    choices.push_back(Expression::literal("{}"));
  return Expression::choice(std::move(choices));
}

Expression arrays_of_schema(const SchemaPlace& schema, const ReadSchema& read) {
  const auto [least, most] = lengths(schema, "minItems", "maxItems");
  const Expression empty = Expression::literal("[]");
  if (most && *most == 0) return empty;
  if (!schema.has("items")) schema.fail("arrays without items", "a schema of the elements: items");
  const Expression item = read(schema.at("items"));
  const Expression further =
      Expression::repeated(Expression::sequence({spelt_comma(), item}), std::max(least, 1) - 1,
                           most ? std::optional(*most - 1) : std::nullopt);
  const Expression some = spelt_between("[", {item, further}, "]");
  return least > 0 ? some : Expression::choice({empty, some});
}

Expression strings_of_schema(const SchemaPlace& schema) {
  const auto [least, most] = lengths(schema, "minLength", "maxLength");
  if (!schema.has("pattern"))
    return spelt_between(
        "\"", {Expression::repeated(spelt_characters(CharacterSet::all()), least, most)}, "\"");
  const SchemaPlace pattern = schema.at("pattern");
  if (schema.has("minLength") || schema.has("maxLength"))
    pattern.fail("a pattern beside a length", "one of them; a pattern can count: {m,n}");
  const std::string name = pattern.name();
  return spelt_between(
      "\"", {spelt_expression(read_regex(pattern.text(), RegexUse::schema_pattern, name))}, "\"");
}

}  // namespace speclab::engines
