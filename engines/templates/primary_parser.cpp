// Literals, names, lists and dicts.

#include <algorithm>
#include <cstdlib>

#include "engines/templates/expression_parser.h"

namespace speclab::templates {
Integer integer_of(const Token& token) {
  std::string_view digits = token.text;
  const char letter = digits.size() > 2 ? static_cast<char>(digits[1] | 0x20) : '0';
  const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
  if (base != 10) digits.remove_prefix(2);
  Integer value = 0;
  for (const char byte : digits) {
    if (byte == '_') continue;
    const int digit = byte <= '9' ? byte - '0' : (byte | 0x20) - 'a' + 10;
    if (__builtin_mul_overflow(value, static_cast<Integer>(base), &value) ||
        __builtin_add_overflow(value, static_cast<Integer>(digit), &value))
      throw TemplateError(Fault::limit, token.line, "a number of more than 127 bits");
  }
  return value;
}

ExpressionPtr ExpressionParser::primary() {
  const Token& token = stream_.current();
  const int line = token.line;
  const auto literal = [&](Literal value) {
    stream_.take();
    return made(line, 0, std::move(value));
  };
  if (stream_.is_any_name({"true", "True"})) return literal(true);
  if (stream_.is_any_name({"false", "False"})) return literal(false);
  if (stream_.is_any_name({"none", "None"})) return literal(None{});
  switch (token.type) {
    case TokenType::name:
      return name();
    case TokenType::integer:
      return literal(integer_of(token));
    case TokenType::real:
      return literal(std::strtod(token.text.c_str(), nullptr));
    case TokenType::text: {
      std::string text;
      while (stream_.is(TokenType::text)) text += stream_.take().text;
      return made(line, 0, Literal(TextLiteral{std::move(text)}));
    }
    default:
      break;
  }
  if (stream_.is_sign("(")) return in_parentheses();
  if (stream_.is_sign("[")) return list();
  if (stream_.is_sign("{")) return dictionary();
  stream_.fail("an expression");
}

ExpressionPtr ExpressionParser::name() {
  const Token& token = stream_.take();
  special_names_.varargs += token.text == "varargs" ? 1 : 0;
  special_names_.kwargs += token.text == "kwargs" ? 1 : 0;
  special_names_.caller += token.text == "caller" ? 1 : 0;
  return made(token.line, 0, NameOf{token.text});
}

ExpressionPtr ExpressionParser::in_parentheses() {
  const int line = stream_.take().line;
  if (stream_.take_sign(")")) return made(line, 0, Items{SequenceKind::tuple, {}});
  ExpressionPtr value = tuple(true);
  stream_.expect_sign(")");
  return value;
}

ExpressionPtr ExpressionParser::list() {
  const int line = stream_.take().line;
  Items items{SequenceKind::list, {}};
  std::size_t depth = 0;
  while (!stream_.is_sign("]")) {
    if (!items.items.empty()) stream_.expect_sign(",");
    if (stream_.is_sign("]")) break;
    items.items.push_back(expression());
    depth = std::max(depth, items.items.back()->depth);
  }
  stream_.expect_sign("]");
  return made(line, depth, std::move(items));
}

ExpressionPtr ExpressionParser::dictionary() {
  const int line = stream_.take().line;
  Pairs pairs;
  std::size_t depth = 0;
  while (!stream_.is_sign("}")) {
    if (!pairs.items.empty()) stream_.expect_sign(",");
    if (stream_.is_sign("}")) break;
    ExpressionPtr key = expression();
    stream_.expect_sign(":");
    ExpressionPtr value = expression();
    depth = std::max({depth, key->depth, value->depth});
    pairs.items.emplace_back(std::move(key), std::move(value));
  }
  stream_.expect_sign("}");
  return made(line, depth, std::move(pairs));
}

}  // namespace speclab::templates
