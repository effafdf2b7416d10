#pragma once
// A parsed template: expressions and statements as plain data. The parser bounds their depth.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engines/templates/rendering.h"

namespace speclab::templates {

struct Expression;
struct Statement;
using ExpressionPtr = std::unique_ptr<Expression>;
using Body = std::vector<Statement>;

struct Arguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
  ExpressionPtr more_positional;  ///< *items; may be null
  ExpressionPtr more_named;       ///< **items; may be null
};

struct None {};
struct TextLiteral {
  std::string text;
};
using Literal = std::variant<None, bool, Integer, double, TextLiteral>;

struct NameOf {
  std::string name;
};
/// A list, or a tuple.
struct Items {
  SequenceKind kind;
  std::vector<ExpressionPtr> items;
};
struct Pairs {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> items;
};
struct AttributeOf {
  ExpressionPtr object;
  std::string name;
};
struct ItemOf {
  ExpressionPtr object, index;
};
/// Each of the three may be null.
struct SliceOf {
  ExpressionPtr object, begin, end, step;
};
struct CallOf {
  ExpressionPtr callee;
  Arguments arguments;
};
/// `input | name(arguments)`; input is null in a filter block.
struct Filtered {
  ExpressionPtr input;
  std::string name;
  Arguments arguments;
};
struct Tested {
  ExpressionPtr input;
  std::string name;
  Arguments arguments;
  bool is_negated;
};
enum class Sign : std::uint8_t { add, subtract, multiply, divide, floor, modulo, power };
struct Binary {
  Sign sign;
  ExpressionPtr left, right;
};
/// `-operand` or `+operand`.
struct Signed {
  bool is_negative;
  ExpressionPtr operand;
};
struct Concatenated {
  std::vector<ExpressionPtr> parts;
};
/// `first < second <= third`; the signs are ==, !=, <, <=, >, >=, in and not in.
struct Comparison {
  ExpressionPtr first;
  std::vector<std::pair<std::string, ExpressionPtr>> others;
};
enum class Logic : std::uint8_t { both, either, opposite };
/// `right` is null for `not left`.
struct Logical {
  Logic logic;
  ExpressionPtr left, right;
};
/// `value if condition else otherwise`, which may be null.
struct Conditional {
  ExpressionPtr condition, value, otherwise;
};

struct Expression {
  int line;
  std::size_t depth;  ///< of the tree below, at least 1
  std::variant<Literal, NameOf, Items, Pairs, AttributeOf, ItemOf, SliceOf, CallOf, Filtered,
               Tested, Binary, Signed, Concatenated, Comparison, Logical, Conditional>
      form;
};

struct DataOutput {
  std::string text;
};
struct ExpressionOutput {
  ExpressionPtr expression;
};
/// The left side of an assignment: a name, an attribute of a namespace, or several targets.
struct Target {
  std::string name;
  std::string attribute;
  std::vector<Target> parts;
};
struct Loop {
  Target target;
  ExpressionPtr items, condition;  ///< condition may be null
  bool is_recursive;
  std::shared_ptr<const Body> body;
  Body otherwise;
};
struct Choice {
  std::vector<std::pair<ExpressionPtr, Body>> branches;
  Body otherwise;
};
struct Assignment {
  Target target;
  ExpressionPtr value;
};
/// `{% set target | filters %}body{% endset %}`; filter may be null.
struct BodyAssignment {
  Target target;
  ExpressionPtr filter;
  Body body;
};
struct Signature {
  std::vector<std::pair<std::string, ExpressionPtr>> parameters;  ///< with the default, or null
};
struct MacroDefinition {
  std::string name;
  Signature signature;
  Body body;
  bool takes_more_positional, takes_more_named, takes_caller;
};
/// `{% call(parameters) callee(arguments) %}body{% endcall %}`
struct CallBlock {
  MacroDefinition caller;
  ExpressionPtr call;
};
/// Also `{% generation %}`, whose filter is null.
struct FilterBlock {
  ExpressionPtr filter;
  Body body;
};
struct Scoped {
  std::vector<std::pair<Target, ExpressionPtr>> values;
  Body body;
};
enum class Jump : std::uint8_t { none, leave_loop, next_round };

struct Statement {
  int line;
  std::variant<DataOutput, ExpressionOutput, Loop, Choice, Assignment, BodyAssignment,
               std::shared_ptr<const MacroDefinition>, std::shared_ptr<const CallBlock>,
               FilterBlock, Scoped, Jump>
      form;
};

}  // namespace speclab::templates
