#pragma once
#include "engines/templates/evaluator.h"

namespace speclab::templates {

/// A macro with the scope that it was defined in.
class Macro final : public Object {
 public:
  Macro(Evaluator& evaluator, const MacroDefinition& definition, ScopePtr scope)
      : evaluator_(evaluator), definition_(definition), scope_(std::move(scope)) {}

  std::string type_name() const override { return "Macro"; }
  bool is_callable() const override { return true; }
  const Value* attribute(Rendering& rendering, const std::string& name) override;
  Value call(Rendering& rendering, const CallArguments& arguments) override;
  std::string shown(Rendering&) const override { return "<Macro '" + definition_.name + "'>"; }

 private:
  void bind(Rendering& rendering, const CallArguments& arguments, const ScopePtr& inner) const;

  Evaluator& evaluator_;
  const MacroDefinition& definition_;
  ScopePtr scope_;
  Value attribute_;
};

}  // namespace speclab::templates
