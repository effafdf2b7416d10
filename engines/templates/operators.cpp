#include "engines/templates/operators.h"

#include <algorithm>

#include "engines/templates/arithmetic.h"
#include "engines/templates/python_values.h"

namespace speclab::templates {
namespace {

const char* spelling(Sign sign) {
  switch (sign) {
    case Sign::add:
      return "+";
    case Sign::subtract:
      return "-";
    case Sign::multiply:
      return "*";
    case Sign::divide:
      return "/";
    case Sign::floor:
      return "//";
    case Sign::modulo:
      return "%";
    case Sign::power:
      return "**";
  }
  return "";
}

bool is_row(const Value& value) {
  return value.is(Kind::sequence) && (value.sequence().kind == SequenceKind::list ||
                                      value.sequence().kind == SequenceKind::tuple);
}

Value repeated(Rendering& rendering, const Value& value, Integer count) {
  const std::size_t size = value.is_text() ? value.bytes().size() : value.sequence().items.size();
  const std::size_t most = value.is_text() ? rendering.limits().text_bytes
                                           : rendering.limits().made_bytes / sizeof(Value);
  const std::size_t times = count < 0 || size == 0               ? 0
                            : count > static_cast<Integer>(most) ? most + 1
                                                                 : static_cast<std::size_t>(count);
  if (times > most / std::max<std::size_t>(size, 1))
    rendering.fail_limit("size of a repeated text or list " + std::to_string(most));
  if (value.is_text()) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += value.bytes();
    return rendering.make_text(std::move(text), value.text().is_markup);
  }
  rendering.charge(size * times * sizeof(Value));
  std::vector<Value> items;
  for (std::size_t i = 0; i < times; ++i)
    items.insert(items.end(), value.sequence().items.begin(), value.sequence().items.end());
  return rendering.make_sequence(value.sequence().kind, std::move(items));
}

Value joined(Rendering& rendering, const Value& left, const Value& right) {
  if (left.is_text()) {
    const bool is_markup = left.text().is_markup || right.text().is_markup;
    const auto part = [&](const Value& value) {
      return is_markup && !value.text().is_markup ? escaped_markup(rendering, value.bytes())
                                                  : value.bytes();
    };
    rendering.expect_text_size(left.bytes().size() + right.bytes().size());
    return rendering.make_text(part(left) + part(right), is_markup);
  }
  std::vector<Value> items = left.sequence().items;
  items.insert(items.end(), right.sequence().items.begin(), right.sequence().items.end());
  return rendering.make_sequence(left.sequence().kind, std::move(items));
}

}  // namespace

std::string escaped_markup(const Rendering& rendering, std::string_view text) {
  std::string markup;
  for (const char byte : text) {
    rendering.expect_text_size(markup.size());
    switch (byte) {
      case '&':
        markup += "&amp;";
        break;
      case '<':
        markup += "&lt;";
        break;
      case '>':
        markup += "&gt;";
        break;
      case '\'':
        markup += "&#39;";
        break;
      case '"':
        markup += "&#34;";
        break;
      default:
        markup += byte;
    }
  }
  return markup;
}

Value calculated(Rendering& rendering, Sign sign, const Value& left, const Value& right) {
  if (left.is_whole() && right.is_whole())
    return calculated_whole(rendering, sign, left.integer(), right.integer());
  if (left.is_number() && right.is_number())
    return calculated_real(rendering, sign, left.number(), right.number());
  if (sign == Sign::modulo && left.is_text())
    return formatted_by_percent(rendering, left.bytes(), right);
  for (const Value* side : {&left, &right})
    if (side->is(Kind::undefined)) rendering.fail(side->undefined().message);
  const bool are_rows =
      is_row(left) && is_row(right) && left.sequence().kind == right.sequence().kind;
  if (sign == Sign::add && ((left.is_text() && right.is_text()) || are_rows))
    return joined(rendering, left, right);
  if (sign == Sign::multiply) {
    if ((left.is_text() || is_row(left)) && right.is_whole())
      return repeated(rendering, left, right.integer());
    if ((right.is_text() || is_row(right)) && left.is_whole())
      return repeated(rendering, right, left.integer());
  }
  if (sign == Sign::add && left.is_text())
    rendering.fail("can only concatenate str (not \"" + type_name(right) + "\") to str");
  rendering.fail(std::string("unsupported operand type(s) for ") + spelling(sign) + ": '" +
                 type_name(left) + "' and '" + type_name(right) + "'");
}

Value signed_value(Rendering& rendering, bool is_negative, const Value& value) {
  if (value.is(Kind::undefined)) rendering.fail(value.undefined().message);
  if (!value.is_number())
    rendering.fail("bad operand type for unary " + std::string(is_negative ? "-" : "+") + ": '" +
                   type_name(value) + "'");
  if (value.is_whole())
    return calculated_whole(rendering, is_negative ? Sign::subtract : Sign::add, 0,
                            value.integer());
  return Value(is_negative ? -value.number() : value.number());
}

bool holds(Rendering& rendering, const std::string& sign, const Value& left, const Value& right) {
  if (sign == "in") return contains(rendering, right, left);
  if (sign == "not in") return !contains(rendering, right, left);
  if (sign == "==") return are_equal(rendering, left, right);
  if (sign == "!=") return !are_equal(rendering, left, right);
  const int order = compared(rendering, left, right, sign.c_str());
  return sign == "<" ? order < 0 : sign == "<=" ? order <= 0 : sign == ">" ? order > 0 : order >= 0;
}

}  // namespace speclab::templates
