#include <algorithm>

#include "engines/templates/parser.h"

namespace speclab::templates {
void ExpressionParser::expect_depth(int line, std::size_t depth) const {
  if (depth > limits_.nesting)
    throw TemplateError(
        Fault::limit, line,
        "expressions or blocks nested deeper than " + std::to_string(limits_.nesting));
}

ExpressionPtr ExpressionParser::expression() {
  const Nested nested(*this);
  ExpressionPtr value = logical_or();
  while (stream_.is_name("if")) {
    const int line = stream_.take().line;
    ExpressionPtr condition = logical_or();
    ExpressionPtr otherwise = stream_.take_name("else") ? expression() : nullptr;
    const std::size_t depth = std::max({depth_of(value), depth_of(condition), depth_of(otherwise)});
    value = made(line, depth,
                 Conditional{std::move(condition), std::move(value), std::move(otherwise)});
  }
  return value;
}

ExpressionPtr ExpressionParser::expression_without_if() {
  const Nested nested(*this);
  return logical_or();
}

bool ExpressionParser::ends_tuple() const {
  return stream_.is(TokenType::variable_end) || stream_.is(TokenType::block_end) ||
         stream_.is(TokenType::end) || stream_.is_sign(")");
}

ExpressionPtr ExpressionParser::tuple(bool with_if) {
  const int line = stream_.line();
  std::vector<ExpressionPtr> items;
  bool is_tuple = false;
  std::size_t depth = 0;
  while (!ends_tuple() && (with_if || !stream_.is_name("recursive"))) {
    items.push_back(with_if ? expression() : expression_without_if());
    depth = std::max(depth, items.back()->depth);
    if (!stream_.take_sign(",")) break;
    is_tuple = true;
  }
  if (items.empty()) stream_.fail("an expression");
  if (!is_tuple) return std::move(items.front());
  return made(line, depth, Items{SequenceKind::tuple, std::move(items)});
}

template <typename Operand>
ExpressionPtr ExpressionParser::logical(std::string_view name, Logic logic, Operand operand) {
  ExpressionPtr left = operand();
  while (stream_.is_name(name)) {
    const int line = stream_.take().line;
    ExpressionPtr right = operand();
    const std::size_t depth = std::max(left->depth, right->depth);
    left = made(line, depth, Logical{logic, std::move(left), std::move(right)});
  }
  return left;
}

ExpressionPtr ExpressionParser::logical_or() {
  return logical("or", Logic::either, [this] { return logical_and(); });
}

ExpressionPtr ExpressionParser::logical_and() {
  return logical("and", Logic::both, [this] { return logical_not(); });
}

ExpressionPtr ExpressionParser::logical_not() {
  if (!stream_.is_name("not")) return comparison();
  const Nested nested(*this);
  const int line = stream_.take().line;
  ExpressionPtr operand = logical_not();
  const std::size_t depth = operand->depth;
  return made(line, depth, Logical{Logic::opposite, std::move(operand), nullptr});
}

ExpressionPtr ExpressionParser::comparison() {
  static constexpr std::string_view kSigns[] = {"==", "!=", "<", "<=", ">", ">="};
  const int line = stream_.line();
  ExpressionPtr first = sum();
  std::vector<std::pair<std::string, ExpressionPtr>> others;
  std::size_t depth = first->depth;
  for (;;) {
    std::string sign;
    if (std::ranges::any_of(kSigns, [&](std::string_view each) { return stream_.is_sign(each); })) {
      sign = stream_.take().text;
    } else if (stream_.take_name("in")) {
      sign = "in";
    } else if (stream_.is_name("not") && stream_.following().type == TokenType::name &&
               stream_.following().text == "in") {
      stream_.take();
      stream_.take();
      sign = "not in";
    } else {
      break;
    }
    others.emplace_back(sign, sum());
    depth = std::max(depth, others.back().second->depth);
  }
  if (others.empty()) return first;
  return made(line, depth, Comparison{std::move(first), std::move(others)});
}

template <typename Operand>
ExpressionPtr ExpressionParser::binary(const std::map<std::string_view, Sign>& signs,
                                       Operand operand) {
  ExpressionPtr left = operand();
  while (stream_.is(TokenType::sign)) {
    const auto sign = signs.find(stream_.current().text);
    if (sign == signs.end()) break;
    const int line = stream_.take().line;
    ExpressionPtr right = operand();
    const std::size_t depth = std::max(left->depth, right->depth);
    left = made(line, depth, Binary{sign->second, std::move(left), std::move(right)});
  }
  return left;
}

ExpressionPtr ExpressionParser::sum() {
  static const std::map<std::string_view, Sign> signs{{"+", Sign::add}, {"-", Sign::subtract}};
  return binary(signs, [this] { return concatenation(); });
}

ExpressionPtr ExpressionParser::concatenation() {
  const int line = stream_.line();
  std::vector<ExpressionPtr> parts;
  std::size_t depth = 0;
  do {
    parts.push_back(product());
    depth = std::max(depth, parts.back()->depth);
  } while (stream_.take_sign("~"));
  if (parts.size() == 1) return std::move(parts.front());
  return made(line, depth, Concatenated{std::move(parts)});
}

ExpressionPtr ExpressionParser::product() {
  static const std::map<std::string_view, Sign> signs{
      {"*", Sign::multiply}, {"/", Sign::divide}, {"//", Sign::floor}, {"%", Sign::modulo}};
  return binary(signs, [this] { return power(); });
}

ExpressionPtr ExpressionParser::power() {
  static const std::map<std::string_view, Sign> signs{{"**", Sign::power}};
  return binary(signs, [this] { return unary(); });
}

ExpressionPtr ExpressionParser::unary(bool filtered) {
  const Nested nested(*this);
  const int line = stream_.line();
  ExpressionPtr value;
  if (stream_.is_sign("-") || stream_.is_sign("+")) {
    const bool is_negative = stream_.take().text == "-";
    ExpressionPtr operand = unary(false);
    const std::size_t depth = operand->depth;
    value = made(line, depth, Signed{is_negative, std::move(operand)});
  } else {
    value = primary();
  }
  value = with_postfixes(std::move(value));
  return filtered ? with_filters(std::move(value)) : std::move(value);
}

}  // namespace speclab::templates
