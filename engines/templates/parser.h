#pragma once
// Readers of tokens: expressions, and the statements around them.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engines/templates/template.h"
#include "engines/templates/tokens.h"
#include "engines/templates/tree.h"

namespace speclab::templates {

/// How often names that a macro may use without declaring them have been read.
struct SpecialNames {
  int varargs = 0, kwargs = 0, caller = 0;
};

/// Of the tree of an expression; 0 if it is null.
inline std::size_t depth_of(const ExpressionPtr& expression) {
  return expression ? expression->depth : 0;
}

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
  class Nested {
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

 private:
  template <typename Operand>
  ExpressionPtr logical(std::string_view name, Logic logic, Operand operand);
  ExpressionPtr logical_or();
  ExpressionPtr logical_and();
  ExpressionPtr logical_not();
  ExpressionPtr comparison();
  /// Operands of one precedence, joined from left to right.
  template <typename Operand>
  ExpressionPtr binary(const std::map<std::string_view, Sign>& signs, Operand operand);
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

/// Reads data, expressions that are printed, and blocks.
class StatementParser {
 public:
  StatementParser(TokenStream& stream, const Limits& limits)
      : stream_(stream), expressions_(stream, limits) {}

  Body whole();

 private:
  using Ends = std::vector<std::string_view>;

  /// Statements up to a tag whose name is one of `ends`; its name is then the current token.
  Body statements(const Ends& ends);
  Statement tag();
  void end_tag();
  void begin_body();
  /// The body of a block whose tag has just been read, and the name of its end.
  Body body_until(std::string_view end);

  /// Each reads one tag behind its name, and its body.
  Statement loop(int line);
  Statement choice(int line);
  Statement jump(int line);
  Statement print(int line);
  Statement filter_block(int line);
  Statement generation(int line);
  Statement with_values(int line);
  Statement assignment(int line);
  Statement macro(int line);
  Statement call_block(int line);

  /// One target, or several with commas between them. @param end  the name that ends them, or ""
  Target targets(std::string_view end);
  Target target();
  static bool assigns(const Target& target, std::string_view name);
  /// A name that can be assigned.
  std::string name();

  Signature signature();
  /// The body of a macro, of a call or of a generation block: a loop around it cannot be left.
  MacroDefinition defined(std::string name, Signature signature, std::string_view end);

  TokenStream& stream_;
  ExpressionParser expressions_;
  int loops_ = 0;  ///< that a break would find
};

/// @throws TemplateError (syntax, or limit where expressions or blocks are nested too deeply)
Body parsed(std::string_view source, const Limits& limits);

}  // namespace speclab::templates
