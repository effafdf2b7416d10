// Operands: literals, names, lists and dicts, and what is written behind a value: attributes,
// items, slices, calls, filters and tests.

#include <algorithm>
#include <cstdlib>

#include "engines/templates/characters.h"
#include "engines/templates/parser.h"

namespace speclab::templates {
namespace {

std::size_t depth_of(const Arguments& arguments) {
  std::size_t depth = std::max(depth_of(arguments.more_positional), depth_of(arguments.more_named));
  for (const ExpressionPtr& value : arguments.positional) depth = std::max(depth, value->depth);
  for (const auto& [name, value] : arguments.named) depth = std::max(depth, value->depth);
  return depth;
}

/// The number of an integer literal. @throws TemplateError (limit) beyond 127 bits
Integer integer_of(const Token& token) {
  std::string_view digits = token.text;
  const char letter = digits.size() > 2 ? static_cast<char>(digits[1] | 0x20) : '0';
  const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
  if (base != 10) digits.remove_prefix(2);
  Integer value = 0;
  for (const char byte : digits) {
    if (byte == '_') continue;
    if (!append_digit(value, base, digit_value(byte)))
      throw TemplateError(Fault::limit, token.line, "a number of more than 127 bits");
  }
  return value;
}

}  // namespace

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

ExpressionPtr ExpressionParser::with_postfixes(ExpressionPtr value) {
  for (;;) {
    if (stream_.is_sign(".")) {
      value = attribute(std::move(value));
    } else if (stream_.is_sign("[")) {
      value = subscript(std::move(value));
    } else if (stream_.is_sign("(")) {
      const int line = stream_.line();
      Arguments given = arguments();
      const std::size_t depth = std::max(value->depth, depth_of(given));
      value = made(line, depth, CallOf{std::move(value), std::move(given)});
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::with_filters(ExpressionPtr value) {
  for (;;) {
    if (stream_.is_sign("|")) {
      stream_.take();
      value = filter(std::move(value));
    } else if (stream_.is_name("is")) {
      value = test(std::move(value));
    } else if (stream_.is_sign("(")) {
      value = with_postfixes(std::move(value));
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::attribute(ExpressionPtr object) {
  const int line = stream_.take().line;
  const std::size_t depth = object->depth;
  if (stream_.is(TokenType::integer)) {
    ExpressionPtr index = made(line, 0, Literal(integer_of(stream_.take())));
    return made(line, depth, ItemOf{std::move(object), std::move(index)});
  }
  return made(line, depth, AttributeOf{std::move(object), stream_.expect_name("an attribute")});
}

ExpressionPtr ExpressionParser::subscript(ExpressionPtr object) {
  const int line = stream_.take().line;
  std::vector<ExpressionPtr> indexes;
  std::size_t depth = object->depth;
  while (!stream_.is_sign("]")) {
    if (!indexes.empty()) stream_.expect_sign(",");
    ExpressionPtr index = subscript_item(object);
    if (!index) return object;  // a slice
    depth = std::max(depth, index->depth);
    indexes.push_back(std::move(index));
  }
  stream_.expect_sign("]");
  // No index is the empty tuple.
  ExpressionPtr index = indexes.size() == 1
                            ? std::move(indexes.front())
                            : made(line, depth, Items{SequenceKind::tuple, std::move(indexes)});
  return made(line, depth, ItemOf{std::move(object), std::move(index)});
}

/// One index; or a slice up to its bracket, which then takes the place of the object.
ExpressionPtr ExpressionParser::subscript_item(ExpressionPtr& object) {
  const int line = stream_.line();
  ExpressionPtr begin = stream_.is_sign(":") ? nullptr : expression();
  if (!stream_.take_sign(":")) return begin;
  const auto part = [&] {
    const bool is_empty = stream_.is_sign(":") || stream_.is_sign("]");
    return is_empty ? nullptr : expression();
  };
  ExpressionPtr end = part();
  ExpressionPtr step = stream_.take_sign(":") ? part() : nullptr;
  stream_.expect_sign("]");
  const std::size_t depth =
      std::max({object->depth, depth_of(begin), depth_of(end), depth_of(step)});
  object = made(line, depth,
                SliceOf{std::move(object), std::move(begin), std::move(end), std::move(step)});
  return nullptr;
}

std::string ExpressionParser::dotted_name() {
  std::string name = stream_.expect_name();
  while (stream_.take_sign(".")) name += "." + stream_.expect_name();
  return name;
}

ExpressionPtr ExpressionParser::filter(ExpressionPtr input) {
  const int line = stream_.line();
  std::string name = dotted_name();
  Arguments given = stream_.is_sign("(") ? arguments() : Arguments{};
  const std::size_t depth = std::max(depth_of(input), depth_of(given));
  return made(line, depth, Filtered{std::move(input), std::move(name), std::move(given)});
}

ExpressionPtr ExpressionParser::filters_without_input() {
  ExpressionPtr value = filter(nullptr);
  while (stream_.take_sign("|")) value = filter(std::move(value));
  return value;
}

ExpressionPtr ExpressionParser::test(ExpressionPtr input) {
  const int line = stream_.take().line;
  const bool is_negated = stream_.take_name("not");
  std::string name = dotted_name();
  Arguments given;
  const bool has_operand = stream_.is(TokenType::name) || stream_.is(TokenType::text) ||
                           stream_.is(TokenType::integer) || stream_.is(TokenType::real) ||
                           stream_.is_sign("[") || stream_.is_sign("{");
  if (stream_.is_sign("(")) {
    given = arguments();
  } else if (has_operand && !stream_.is_any_name({"else", "or", "and"})) {
    if (stream_.is_name("is")) stream_.fail("and or or; tests are not chained with is");
    given.positional.push_back(with_postfixes(primary()));
  }
  const std::size_t depth = std::max(input->depth, depth_of(given));
  return made(line, depth, Tested{std::move(input), std::move(name), std::move(given), is_negated});
}

Arguments ExpressionParser::arguments() {
  stream_.expect_sign("(");
  Arguments given;
  for (bool is_first = true; !stream_.is_sign(")"); is_first = false) {
    if (!is_first) stream_.expect_sign(",");
    if (stream_.is_sign(")")) break;
    const Token& following = stream_.following();
    if (stream_.take_sign("*")) {
      given.more_positional = expression();
    } else if (stream_.take_sign("**")) {
      given.more_named = expression();
    } else if (stream_.is(TokenType::name) && following.type == TokenType::sign &&
               following.text == "=") {
      std::string name = stream_.take().text;
      stream_.take();
      given.named.emplace_back(std::move(name), expression());
    } else {
      if (!given.named.empty() || given.more_named)
        stream_.fail("named arguments behind a named one");
      given.positional.push_back(expression());
    }
  }
  stream_.expect_sign(")");
  return given;
}

}  // namespace speclab::templates
