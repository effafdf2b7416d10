#include "engines/constraints/spelt_json.h"

#include <fmt/format.h>

#include "engines/constraints/utf8_bytes.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// Characters that stand for themselves within a string.
const CharacterSet kPlain{{U' ', U'!'}, {U'#', U'['}, {U']', 0x10FFFF}};

std::string escape_of(char32_t character) {
  switch (character) {
    case U'"':
      return "\\\"";
    case U'\\':
      return "\\\\";
    case U'\b':
      return "\\b";
    case U'\f':
      return "\\f";
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    default:
      return fmt::format("\\u{:04x}", static_cast<std::uint32_t>(character));
  }
}

Expression with_blank(const char* sign) {
  return Expression::sequence(
      {Expression::literal(sign), Expression::optional(Expression::literal(" "))});
}

}  // namespace

Expression spelt_characters(const CharacterSet& set) {
  std::vector<Expression> spellings{Expression::characters(set.intersection(kPlain))};
  const CharacterSet escaped = set.intersection(kPlain.complement());
  for (const CharacterRange& range : escaped.ranges())
    for (char32_t one = range.first; one <= range.last; ++one)
      spellings.push_back(Expression::literal(escape_of(one)));
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
  const auto characters = characters_of(text);
  SPECLAB_EXPECT(characters, "a string in UTF-8");
  std::string spelt;
  for (const char32_t one : *characters)
    spelt += kPlain.contains(one) ? utf8_of(one) : escape_of(one);
  return Expression::literal("\"" + spelt + "\"");
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
  if (value.is_string()) return spelt_string(value.get_ref<const std::string&>());
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

}  // namespace speclab::engines
