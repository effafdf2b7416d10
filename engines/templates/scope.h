#pragma once
#include <map>
#include <memory>
#include <string>

#include "engines/templates/value.h"

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

}  // namespace speclab::templates
