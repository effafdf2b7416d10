// Parts that are written behind a value: attributes, items, slices, calls, filters and tests.

#include <algorithm>

#include "engines/templates/expression_parser.h"

namespace speclab::templates {
namespace {

std::size_t depth_below(const ExpressionPtr& expression) {
  return expression ? expression->depth : 0;
}

std::size_t depth_below(const Arguments& arguments) {
  std::size_t depth =
      std::max(depth_below(arguments.more_positional), depth_below(arguments.more_named));
  for (const ExpressionPtr& value : arguments.positional) depth = std::max(depth, value->depth);
  for (const auto& [name, value] : arguments.named) depth = std::max(depth, value->depth);
  return depth;
}

}  // namespace

ExpressionPtr ExpressionParser::with_postfixes(ExpressionPtr value) {
  for (;;) {
    if (stream_.is_sign(".")) {
      value = attribute(std::move(value));
    } else if (stream_.is_sign("[")) {
      value = subscript(std::move(value));
    } else if (stream_.is_sign("(")) {
      const int line = stream_.line();
      Arguments given = arguments();
      const std::size_t depth = std::max(value->depth, depth_below(given));
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
      std::max({object->depth, depth_below(begin), depth_below(end), depth_below(step)});
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
  const std::size_t depth = std::max(depth_below(input), depth_below(given));
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
  const std::size_t depth = std::max(input->depth, depth_below(given));
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
