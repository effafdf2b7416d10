#pragma once
#include <optional>
#include <span>
#include <string>

#include "engines/templates/filters.h"
#include "engines/templates/rendering.h"
#include "engines/templates/scope.h"
#include "engines/templates/tree.h"

namespace speclab::templates {

/// Walks the tree of a template: statements write text, expressions give values.
class Evaluator {
 public:
  explicit Evaluator(Rendering& rendering) : rendering_(rendering) {}

  Rendering& rendering() { return rendering_; }

  /// The text of a body, whose names go into `scope`.
  std::string text_of(const Body& body, const ScopePtr& scope);
  Value evaluate(const Expression& expression, const ScopePtr& scope);
  /// Binds names to a value, or to its parts. @throws TemplateError if their numbers differ
  void assign(const Target& target, const Value& value, const ScopePtr& scope);
  /// All rounds of a loop, or its else branch. @param depth  of recursive calls, 1 for the first
  void run_loop(const Loop& loop, const Value& items, const ScopePtr& scope, std::string& output,
                std::size_t depth);

 private:
  /// @return what leaves the loop around the body
  Jump run(const Body& body, const ScopePtr& scope, std::string& output);
  Jump run(const Statement& statement, const ScopePtr& scope, std::string& output);
  Jump run_choice(const Choice& choice, const ScopePtr& scope, std::string& output);
  Jump run_scoped(const Scoped& scoped, const ScopePtr& scope, std::string& output);
  Jump run_filter_block(const FilterBlock& block, const ScopePtr& scope, std::string& output);
  void run_body_assignment(const BodyAssignment& assignment, const ScopePtr& scope);
  void run_call_block(const CallBlock& block, const ScopePtr& scope, std::string& output);
  void append(std::string& output, std::string_view text);
  std::span<const Value> chosen_items(const Loop& loop, const Value& items, const ScopePtr& scope);

  Value literal(const Literal& literal);
  Value name(const NameOf& name, const ScopePtr& scope);
  Value items(const Items& items, const ScopePtr& scope);
  Value pairs(const Pairs& pairs, const ScopePtr& scope);
  Value call(const CallOf& call, const ScopePtr& scope, std::optional<Value> caller = {});
  Value slice(const SliceOf& slice, const ScopePtr& scope);
  Value filter(const Filtered& filter, const ScopePtr& scope);
  Value test(const Tested& test, const ScopePtr& scope);
  Value concatenation(const Concatenated& parts, const ScopePtr& scope);
  Value comparison(const Comparison& comparison, const ScopePtr& scope);
  Value logical(const Logical& logical, const ScopePtr& scope);
  Value conditional(const Conditional& conditional, const ScopePtr& scope);
  CallArguments arguments(const Arguments& arguments, const ScopePtr& scope);
  Value filtered_body(const Expression* filter, std::string text, const ScopePtr& scope);

  Rendering& rendering_;
  std::size_t depth_ = 0;
  std::optional<Value> filter_input_;  ///< of the innermost filter of a block
};

}  // namespace speclab::templates
