// Values of expressions.

#include <algorithm>

#include "engines/templates/evaluator.h"
#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {

Value Evaluator::evaluate(const Expression& expression, const ScopePtr& scope) {
  rendering_.step();
  const Level level(rendering_, depth_, rendering_.limits().evaluation_depth,
                    "evaluations in each other");
  const int line = expression.line;
  rendering_.line = line;
  const auto back = [&](const Value& value) {
    rendering_.line = line;
    return value;
  };
  return std::visit(EachForm{
                        [&](const auto& form) { return value(form, scope); },
                        [&](const AttributeOf& form) {
                          const Value object = back(evaluate(*form.object, scope));
                          return attribute_of(rendering_, object, form.name);
                        },
                        [&](const ItemOf& form) {
                          const Value object = evaluate(*form.object, scope);
                          const Value index = back(evaluate(*form.index, scope));
                          return item_at(rendering_, object, index);
                        },
                        [&](const Binary& form) {
                          const Value left = evaluate(*form.left, scope);
                          const Value right = back(evaluate(*form.right, scope));
                          return calculated(rendering_, form.sign, left, right);
                        },
                        [&](const Signed& form) {
                          return signed_value(rendering_, form.is_negative,
                                              back(evaluate(*form.operand, scope)));
                        },
                    },
                    expression.form);
}

Value Evaluator::value(const Literal& literal, const ScopePtr&) {
  return std::visit(
      EachForm{
          [](None) { return Value(); },
          [](bool value) { return Value(value); },
          [](Integer value) { return Value(value); },
          [](double value) { return Value(value); },
          [this](const TextLiteral& value) { return rendering_.make_text(value.text); },
      },
      literal);
}

Value Evaluator::value(const NameOf& name, const ScopePtr& scope) {
  rendering_.step(scope->depth / kScopesAStep);
  if (const Value* value = scope->find(name.name)) return *value;
  return rendering_.make_undefined("'" + name.name + "' is undefined");
}

Value Evaluator::value(const Items& items, const ScopePtr& scope) {
  std::vector<Value> values;
  values.reserve(items.items.size());
  for (const ExpressionPtr& item : items.items) values.push_back(evaluate(*item, scope));
  return rendering_.make_sequence(items.kind, std::move(values));
}

Value Evaluator::value(const Pairs& pairs, const ScopePtr& scope) {
  Mapping mapping;
  for (const auto& [key, value] : pairs.items) {
    const Value name = evaluate(*key, scope);
    set_item(rendering_, mapping, name, evaluate(*value, scope));
  }
  return rendering_.make_mapping(std::move(mapping));
}

CallArguments Evaluator::arguments(const Arguments& arguments, const ScopePtr& scope) {
  CallArguments given;
  for (const ExpressionPtr& value : arguments.positional)
    given.positional.push_back(evaluate(*value, scope));
  for (const auto& [name, value] : arguments.named)
    given.named.emplace_back(name, evaluate(*value, scope));
  if (arguments.more_positional) {
    const Value more = evaluate(*arguments.more_positional, scope);
    const auto values = items_of(rendering_, more);
    given.positional.insert(given.positional.end(), values.begin(), values.end());
  }
  if (arguments.more_named) {
    const Value more = evaluate(*arguments.more_named, scope);
    if (!more.is(Kind::mapping)) rendering_.fail("argument after ** must be a mapping");
    for (const auto& [key, value] : more.mapping().items) {
      if (!key.is_text()) rendering_.fail("keywords must be strings");
      rendering_.step(1 + key.bytes().size() / 64);
      given.named.emplace_back(key.bytes(), value);
    }
  }
  return given;
}

/// A method is called at once, without a value for it.
Value Evaluator::value(const CallOf& call, const ScopePtr& scope, std::optional<Value> caller) {
  const int line = rendering_.line;
  Value callee;
  Method method = nullptr;
  if (const auto* attribute = std::get_if<AttributeOf>(&call.callee->form)) {
    const Value object = evaluate(*attribute->object, scope);
    method = object.is(Kind::object) ? nullptr : method_of(object, attribute->name);
    callee = method ? object : attribute_of(rendering_, object, attribute->name);
  } else {
    callee = evaluate(*call.callee, scope);
  }
  CallArguments given = arguments(call.arguments, scope);
  if (caller) given.named.emplace_back("caller", *caller);
  rendering_.line = line;
  return method ? method(rendering_, callee, given) : called(rendering_, callee, given);
}

Value Evaluator::value(const SliceOf& slice, const ScopePtr& scope) {
  const Value object = evaluate(*slice.object, scope);
  const auto bound = [&](const ExpressionPtr& part) {
    return part ? evaluate(*part, scope) : Value();
  };
  const Value begin = bound(slice.begin), end = bound(slice.end), step = bound(slice.step);
  return slice_of(rendering_, object, begin, end, step);
}

Value Evaluator::value(const Filtered& filter, const ScopePtr& scope) {
  const int line = rendering_.line;
  const Value input = filter.input ? evaluate(*filter.input, scope) : filter_input_.value();
  const CallArguments given = arguments(filter.arguments, scope);
  rendering_.line = line;
  return filtered(rendering_, filter.name, input, given);
}

Value Evaluator::value(const Tested& test, const ScopePtr& scope) {
  const int line = rendering_.line;
  const Value input = evaluate(*test.input, scope);
  const CallArguments given = arguments(test.arguments, scope);
  rendering_.line = line;
  return Value(tested(rendering_, test.name, input, given) != test.is_negated);
}

Value Evaluator::value(const Concatenated& parts, const ScopePtr& scope) {
  std::string text;
  for (const ExpressionPtr& part : parts.parts) {
    text += str(rendering_, evaluate(*part, scope));
    rendering_.expect_text_size(text.size());
  }
  return rendering_.make_text(std::move(text));
}

Value Evaluator::value(const Comparison& comparison, const ScopePtr& scope) {
  const int line = rendering_.line;
  Value left = evaluate(*comparison.first, scope);
  for (const auto& [sign, other] : comparison.others) {
    const Value right = evaluate(*other, scope);
    rendering_.line = line;
    if (!holds(rendering_, sign, left, right)) return Value(false);
    left = right;
  }
  return Value(true);
}

Value Evaluator::value(const Logical& logical, const ScopePtr& scope) {
  const Value left = evaluate(*logical.left, scope);
  if (logical.logic == Logic::opposite) return Value(!is_true(left));
  if (is_true(left) == (logical.logic == Logic::either)) return left;
  return evaluate(*logical.right, scope);
}

Value Evaluator::value(const Conditional& conditional, const ScopePtr& scope) {
  const bool holds = is_true(evaluate(*conditional.condition, scope));
  const ExpressionPtr& chosen = holds ? conditional.value : conditional.otherwise;
  if (chosen) return evaluate(*chosen, scope);
  return rendering_.make_undefined("the inline if-expression on line " +
                                   std::to_string(rendering_.line) +
                                   " evaluated to false and no else section was defined.");
}

}  // namespace speclab::templates
