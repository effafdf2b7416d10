// Statements: what they write, and the names that they set.

#include "engines/templates/evaluator.h"
#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {

std::string Evaluator::text_of(const Body& body, const ScopePtr& scope) {
  std::string text;
  run(body, scope, text);
  return text;
}

void Evaluator::append(std::string& output, std::string_view text) {
  rendering_.step_bytes(text.size());
  output += text;
  if (output.size() > rendering_.limits().output_bytes)
    rendering_.fail_limit("bytes of output " + std::to_string(rendering_.limits().output_bytes));
}

Jump Evaluator::run(const Body& body, const ScopePtr& scope, std::string& output) {
  const Level level(rendering_, depth_, rendering_.limits().evaluation_depth,
                    "evaluations in each other");
  for (const Statement& statement : body) {
    rendering_.step();
    rendering_.line = statement.line;
    if (const Jump jump = run(statement, scope, output); jump != Jump::none) return jump;
  }
  return Jump::none;
}

Jump Evaluator::run(const Statement& statement, const ScopePtr& scope, std::string& output) {
  return std::visit(
      EachForm{
          [&](const auto& form) { return run(form, scope, output); },
          [&](const DataOutput& data) {
            append(output, data.text);
            return Jump::none;
          },
          [&](const ExpressionOutput& form) {
            append(output, str(rendering_, evaluate(*form.expression, scope)));
            return Jump::none;
          },
          [&](const Loop& loop) {
            run_loop(loop, evaluate(*loop.items, scope), scope, output, 1);
            return Jump::none;
          },
          [&](const Assignment& form) {
            assign(form.target, evaluate(*form.value, scope), scope);
            return Jump::none;
          },
          [&](const std::shared_ptr<const MacroDefinition>& form) {
            scope->set(form->name, Value(rendering_.make_object<Macro>(*this, *form, scope)));
            return Jump::none;
          },
          [&](const std::shared_ptr<const CallBlock>& form) { return run(*form, scope, output); },
          [&](const Jump& jump) { return jump; },
      },
      statement.form);
}

Jump Evaluator::run(const Choice& choice, const ScopePtr& scope, std::string& output) {
  for (const auto& [condition, body] : choice.branches)
    if (is_true(evaluate(*condition, scope))) return run(body, scope, output);
  return run(choice.otherwise, scope, output);
}

void Evaluator::assign(const Target& target, const Value& value, const ScopePtr& scope) {
  if (!target.parts.empty()) {
    const auto parts = items_of(rendering_, value);
    if (parts.size() != target.parts.size())
      rendering_.fail(std::string(parts.size() < target.parts.size() ? "not enough" : "too many") +
                      " values to unpack (expected " + std::to_string(target.parts.size()) +
                      ", got " + std::to_string(parts.size()) + ")");
    for (std::size_t i = 0; i < parts.size(); ++i) assign(target.parts[i], parts[i], scope);
    return;
  }
  if (target.attribute.empty()) return scope->set(target.name, value);
  const Value* owner = scope->find(target.name);
  auto* object =
      owner && owner->is(Kind::object) ? dynamic_cast<Namespace*>(&owner->object()) : nullptr;
  if (!object) rendering_.fail("cannot assign attribute on non-namespace object");
  object->set(rendering_, target.attribute, value);
}

/// The items for which the condition of the loop holds; all where there is none.
std::span<const Value> Evaluator::chosen_items(const Loop& loop, const Value& items,
                                               const ScopePtr& scope) {
  const auto all = items_of(rendering_, items);
  if (!loop.condition) return all;
  std::vector<Value> chosen;
  for (const Value& item : all) {
    rendering_.step(kStepsOfScope);
    const auto inner = std::make_shared<Scope>(scope);
    assign(loop.target, item, inner);
    if (is_true(evaluate(*loop.condition, inner))) chosen.push_back(item);
  }
  return rendering_.make_list(std::move(chosen)).sequence().items;
}

void Evaluator::run_loop(const Loop& loop, const Value& items, const ScopePtr& scope,
                         std::string& output, std::size_t depth) {
  const std::span<const Value> rounds = chosen_items(loop, items, scope);
  auto* object = rendering_.make_object<LoopObject>(*this, loop, scope, depth);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    rendering_.step(kStepsOfScope);
    const auto inner = std::make_shared<Scope>(scope);
    object->enter(rounds, i);
    inner->set("loop", Value(object));
    assign(loop.target, rounds[i], inner);
    if (run(*loop.body, inner, output) == Jump::leave_loop) break;
  }
  if (rounds.empty()) run(loop.otherwise, std::make_shared<Scope>(scope), output);
}

Value Evaluator::filtered_body(const Expression* filter, std::string text, const ScopePtr& scope) {
  const Value body = rendering_.make_text(std::move(text));
  if (!filter) return body;
  const auto outer = std::exchange(filter_input_, body);
  const Value result = evaluate(*filter, scope);
  filter_input_ = outer;
  return result;
}

Jump Evaluator::run(const BodyAssignment& assignment, const ScopePtr& scope, std::string&) {
  const auto inner = std::make_shared<Scope>(scope);
  assign(assignment.target,
         filtered_body(assignment.filter.get(), text_of(assignment.body, inner), inner), scope);
  return Jump::none;
}

Jump Evaluator::run(const FilterBlock& block, const ScopePtr& scope, std::string& output) {
  const auto inner = std::make_shared<Scope>(scope);
  std::string text;
  const Jump jump = run(block.body, inner, text);
  // Jinja2 leaves the loop before it has printed what the block has so far.
  if (jump != Jump::none) return jump;
  append(output, str(rendering_, filtered_body(block.filter.get(), std::move(text), inner)));
  return jump;
}

Jump Evaluator::run(const CallBlock& block, const ScopePtr& scope, std::string& output) {
  auto* caller = rendering_.make_object<Macro>(*this, block.caller, scope);
  const auto& form = std::get<CallOf>(block.call->form);
  append(output, str(rendering_, value(form, scope, Value(caller))));
  return Jump::none;
}

Jump Evaluator::run(const Scoped& scoped, const ScopePtr& scope, std::string& output) {
  const auto inner = std::make_shared<Scope>(scope);
  for (const auto& [target, value] : scoped.values) assign(target, evaluate(*value, scope), inner);
  return run(scoped.body, inner, output);
}

}  // namespace speclab::templates
