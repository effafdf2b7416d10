#pragma once
#include "engines/templates/evaluator.h"

namespace speclab::templates {

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
  const Value* attribute(Rendering& rendering, const std::string& name) override;
  Value call(Rendering& rendering, const CallArguments& arguments) override;
  std::string shown(Rendering&) const override;

 private:
  Value made(Rendering& rendering, const std::string& name);
  Value cycle(Rendering& rendering, const CallArguments& arguments) const;
  Value changed(Rendering& rendering, const CallArguments& arguments);

  Evaluator& evaluator_;
  const Loop& loop_;
  ScopePtr scope_;
  std::size_t depth_;
  std::span<const Value> items_;
  std::size_t index_ = 0;
  std::optional<std::vector<Value>> last_changed_;
  Value attribute_;
};

}  // namespace speclab::templates
