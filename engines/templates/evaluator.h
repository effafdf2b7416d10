#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engines/templates/functions.h"
#include "engines/templates/rendering.h"
#include "engines/templates/tree.h"

namespace speclab::templates {

/// A scope takes as long as so many evaluated nodes.
inline constexpr std::uint64_t kStepsOfScope = 8;
/// A name is sought in so many scopes in the time of one evaluated node.
inline constexpr std::size_t kScopesAStep = 4;

/// Names of a part of a template: of the whole, a round of a loop, or a call of a macro. Macros
/// keep the scope that they were defined in.
struct Scope {
  std::shared_ptr<const Scope> outer;
  std::map<std::string, Value, std::less<>> values;
  std::size_t depth;  ///< scopes around this one

  explicit Scope(std::shared_ptr<const Scope> outer_scope = nullptr)
      : outer(std::move(outer_scope)), depth(outer ? outer->depth + 1 : 0) {}

  void set(const std::string& name, const Value& value) { values.insert_or_assign(name, value); }
  /// Null if neither this scope nor one around it has the name.
  const Value* find(std::string_view name) const {
    for (const Scope* scope = this; scope; scope = scope->outer.get())
      if (const auto found = scope->values.find(name); found != scope->values.end())
        return &found->second;
    return nullptr;
  }
};
using ScopePtr = std::shared_ptr<Scope>;

/// One function for each form of a tree.
template <typename... Cases>
struct EachForm : Cases... {
  using Cases::operator()...;
};

/// Walks the tree of a template: statements write text, expressions give values.
class Evaluator {
 public:
  explicit Evaluator(Rendering& rendering) : rendering_(rendering) {}

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
  Jump run(const Choice& choice, const ScopePtr& scope, std::string& output);
  Jump run(const Scoped& scoped, const ScopePtr& scope, std::string& output);
  Jump run(const FilterBlock& block, const ScopePtr& scope, std::string& output);
  Jump run(const BodyAssignment& assignment, const ScopePtr& scope, std::string& output);
  Jump run(const CallBlock& block, const ScopePtr& scope, std::string& output);
  void append(std::string& output, std::string_view text);
  std::span<const Value> chosen_items(const Loop& loop, const Value& items, const ScopePtr& scope);

  Value value(const Literal& literal, const ScopePtr& scope);
  Value value(const NameOf& name, const ScopePtr& scope);
  Value value(const Items& items, const ScopePtr& scope);
  Value value(const Pairs& pairs, const ScopePtr& scope);
  /// @param caller  the body of a block around the call
  Value value(const CallOf& call, const ScopePtr& scope, std::optional<Value> caller = {});
  Value value(const SliceOf& slice, const ScopePtr& scope);
  Value value(const Filtered& filter, const ScopePtr& scope);
  Value value(const Tested& test, const ScopePtr& scope);
  Value value(const Concatenated& parts, const ScopePtr& scope);
  Value value(const Comparison& comparison, const ScopePtr& scope);
  Value value(const Logical& logical, const ScopePtr& scope);
  Value value(const Conditional& conditional, const ScopePtr& scope);
  CallArguments arguments(const Arguments& arguments, const ScopePtr& scope);
  Value filtered_body(const Expression* filter, std::string text, const ScopePtr& scope);

  Rendering& rendering_;
  std::size_t depth_ = 0;
  std::optional<Value> filter_input_;  ///< of the innermost filter of a block
};

/// The variable `loop` inside of a loop.
class LoopObject final : public Object {
 public:
  /// @param loop  called again where it is recursive
  LoopObject(Evaluator& evaluator, const Loop& loop, ScopePtr scope, std::size_t depth)
      : evaluator_(evaluator), loop_(loop), scope_(std::move(scope)), depth_(depth) {}

  void enter(std::span<const Value> items, std::size_t index) {
    items_ = items;
    index_ = index;
  }

  std::string type_name() const override { return "LoopContext"; }
  bool is_callable() const override { return true; }
  std::optional<Value> attribute(Rendering& rendering, const std::string& name) override;
  Value call(Rendering& rendering, const CallArguments& arguments) override;
  std::string shown(Rendering&) const override;

 private:
  Value cycle(Rendering& rendering, const CallArguments& arguments) const;
  Value changed(Rendering& rendering, const CallArguments& arguments);

  Evaluator& evaluator_;
  const Loop& loop_;
  ScopePtr scope_;
  std::size_t depth_;
  std::span<const Value> items_;
  std::size_t index_ = 0;
  std::optional<std::vector<Value>> last_changed_;
};

/// A macro with the scope that it was defined in.
class Macro final : public Object {
 public:
  Macro(Evaluator& evaluator, const MacroDefinition& definition, ScopePtr scope)
      : evaluator_(evaluator), definition_(definition), scope_(std::move(scope)) {}

  std::string type_name() const override { return "Macro"; }
  bool is_callable() const override { return true; }
  std::optional<Value> attribute(Rendering& rendering, const std::string& name) override;
  Value call(Rendering& rendering, const CallArguments& arguments) override;
  std::string shown(Rendering&) const override { return "<Macro '" + definition_.name + "'>"; }

 private:
  void bind(Rendering& rendering, const CallArguments& arguments, const ScopePtr& inner) const;

  Evaluator& evaluator_;
  const MacroDefinition& definition_;
  ScopePtr scope_;
};

}  // namespace speclab::templates
