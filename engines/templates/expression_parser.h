#pragma once
#include <initializer_list>
#include <string_view>

#include "engines/templates/limits.h"
#include "engines/templates/token_stream.h"
#include "engines/templates/tree.h"

namespace speclab::templates {

/// How often names that a macro may use without declaring them have been read.
struct SpecialNames {
  int varargs = 0, kwargs = 0, caller = 0;
};

/// The number of an integer literal. @throws TemplateError (limit) beyond 127 bits
Integer integer_of(const Token& token);

/// Reads expressions with jinja2's precedence.
class ExpressionParser {
 public:
  ExpressionParser(TokenStream& stream, const Limits& limits) : stream_(stream), limits_(limits) {}

  /// One expression, with `a if b else c`.
  ExpressionPtr expression();
  /// One expression without `if`: the items of a loop.
  ExpressionPtr expression_without_if();
  /// An expression, or several with commas between them: a tuple.
  ExpressionPtr tuple(bool with_if);
  /// Filters of a block: `name(...) | name(...)`, with a null input at the innermost.
  ExpressionPtr filters_without_input();
  const SpecialNames& special_names() const { return special_names_; }

  /// One level of a nested expression or block.
  class Nested;

 private:
  ExpressionPtr logical_or();
  ExpressionPtr logical_and();
  ExpressionPtr logical_not();
  ExpressionPtr comparison();
  ExpressionPtr sum();
  ExpressionPtr concatenation();
  ExpressionPtr product();
  ExpressionPtr power();
  ExpressionPtr unary(bool with_filters = true);
  ExpressionPtr primary();
  ExpressionPtr name();
  ExpressionPtr in_parentheses();
  ExpressionPtr list();
  ExpressionPtr dictionary();
  ExpressionPtr with_postfixes(ExpressionPtr value);
  ExpressionPtr with_filters(ExpressionPtr value);
  ExpressionPtr attribute(ExpressionPtr object);
  ExpressionPtr subscript(ExpressionPtr object);
  ExpressionPtr subscript_item(ExpressionPtr& object);
  ExpressionPtr filter(ExpressionPtr input);
  ExpressionPtr test(ExpressionPtr input);
  Arguments arguments();
  std::string dotted_name();
  bool ends_tuple() const;

  /// @param depth  of the deepest operand @throws TemplateError (limit) if the tree gets too deep
  template <typename Form>
  ExpressionPtr made(int line, std::size_t depth, Form form) {
    expect_depth(line, depth + 1);
    return std::make_unique<Expression>(Expression{line, depth + 1, std::move(form)});
  }
  void expect_depth(int line, std::size_t depth) const;

  TokenStream& stream_;
  const Limits& limits_;
  std::size_t nesting_ = 0;
  SpecialNames special_names_;
};

class ExpressionParser::Nested {
 public:
  explicit Nested(ExpressionParser& parser) : parser_(parser) {
    parser.expect_depth(parser.stream_.line(), parser.nesting_ + 1);
    ++parser.nesting_;
  }
  ~Nested() { --parser_.nesting_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  ExpressionParser& parser_;
};

}  // namespace speclab::templates
