#include <algorithm>

#include "engines/templates/evaluator.h"
#include "engines/templates/functions.h"
#include "engines/templates/python.h"

namespace speclab::templates {

std::optional<Value> LoopObject::attribute(Rendering& rendering, const std::string& name) {
  const std::size_t size = items_.size();
  if (name == "index") return Value::of_count(index_ + 1);
  if (name == "index0") return Value::of_count(index_);
  if (name == "revindex") return Value::of_count(size - index_);
  if (name == "revindex0") return Value::of_count(size - index_ - 1);
  if (name == "first") return Value(index_ == 0);
  if (name == "last") return Value(index_ + 1 == size);
  if (name == "length") return Value::of_count(size);
  if (name == "depth") return Value::of_count(depth_);
  if (name == "depth0") return Value::of_count(depth_ - 1);
  if (name == "previtem")
    return index_ > 0 ? items_[index_ - 1] : rendering.make_undefined("there is no previous item");
  if (name == "nextitem")
    return index_ + 1 < size ? items_[index_ + 1]
                             : rendering.make_undefined("there is no next item");
  const bool cycles = name == "cycle";
  if (!cycles && name != "changed") return std::nullopt;
  return Value(rendering.make_object<Function>(
      name, [this, cycles](Rendering& r, const CallArguments& arguments) {
        return cycles ? cycle(r, arguments) : changed(r, arguments);
      }));
}

Value LoopObject::cycle(Rendering& rendering, const CallArguments& arguments) const {
  if (arguments.positional.empty()) rendering.fail("no items for cycling given");
  return arguments.positional[index_ % arguments.positional.size()];
}

Value LoopObject::changed(Rendering& rendering, const CallArguments& arguments) {
  const auto& now = arguments.positional;
  const bool is_same =
      last_changed_ && std::ranges::equal(*last_changed_, now, [&](const Value& a, const Value& b) {
        return are_equal(rendering, a, b);
      });
  if (is_same) return Value(false);
  last_changed_ = now;
  return Value(true);
}

Value LoopObject::call(Rendering& rendering, const CallArguments& arguments) {
  if (!loop_.is_recursive)
    rendering.fail("The loop must have the 'recursive' marker to be called recursively.");
  const Parameters given(rendering, "loop", arguments, {"iterable"});
  std::string text;
  evaluator_.run_loop(loop_, given[0], scope_, text, depth_ + 1);
  return rendering.make_text(std::move(text));
}

std::string LoopObject::shown(Rendering&) const {
  return "<LoopContext " + std::to_string(index_ + 1) + "/" + std::to_string(items_.size()) + ">";
}

std::optional<Value> Macro::attribute(Rendering& rendering, const std::string& name) {
  if (name == "name") return rendering.make_text(definition_.name);
  if (name != "arguments") return std::nullopt;
  std::vector<Value> names;
  for (const auto& [parameter, missing] : definition_.signature.parameters)
    names.push_back(rendering.make_text(parameter));
  return rendering.make_sequence(SequenceKind::tuple, std::move(names));
}

Value Macro::call(Rendering& rendering, const CallArguments& arguments) {
  const int line = rendering.line;
  rendering.step(kStepsOfScope);
  auto inner = std::make_shared<Scope>(scope_);
  bind(rendering, arguments, inner);
  Value text = rendering.make_text(evaluator_.text_of(definition_.body, inner));
  rendering.line = line;
  return text;
}

void Macro::bind(Rendering& rendering, const CallArguments& arguments,
                 const ScopePtr& inner) const {
  const auto& parameters = definition_.signature.parameters;
  std::vector<std::pair<std::string, Value>> named = arguments.named;
  const auto take_named = [&](const std::string& name) -> std::optional<Value> {
    const auto found = std::ranges::find(named, name, [](const auto& each) { return each.first; });
    if (found == named.end()) return std::nullopt;
    const Value value = found->second;
    named.erase(found);
    return value;
  };
  const std::size_t num_given = std::min(arguments.positional.size(), parameters.size());
  for (std::size_t i = 0; i < num_given; ++i)
    inner->set(parameters[i].first, arguments.positional[i]);
  std::vector<std::size_t> missing;
  for (std::size_t i = num_given; i < parameters.size(); ++i) {
    if (const auto value = take_named(parameters[i].first))
      inner->set(parameters[i].first, *value);
    else
      missing.push_back(i);
  }
  // Defaults may use the parameters before them.
  for (const std::size_t i : missing) {
    const auto& [name, expression] = parameters[i];
    inner->set(name, expression
                         ? evaluator_.evaluate(*expression, inner)
                         : rendering.make_undefined("parameter '" + name + "' was not provided"));
  }
  if (definition_.takes_caller) {
    const auto caller = take_named("caller");
    if (!inner->values.contains("caller"))
      inner->set("caller", caller ? *caller : rendering.make_undefined("No caller defined"));
  }
  if (definition_.takes_more_named) {
    Mapping more;
    for (const auto& [name, value] : named)
      more.items.emplace_back(rendering.make_text(name), value);
    inner->set("kwargs", rendering.make_mapping(std::move(more)));
  } else if (!named.empty()) {
    rendering.fail("macro '" + definition_.name + "' takes no keyword argument '" +
                   named.front().first + "'");
  }
  if (definition_.takes_more_positional)
    inner->set("varargs", rendering.make_sequence(SequenceKind::tuple,
                                                  {arguments.positional.begin() +
                                                       static_cast<std::ptrdiff_t>(num_given),
                                                   arguments.positional.end()}));
  else if (arguments.positional.size() > parameters.size())
    rendering.fail("macro '" + definition_.name + "' takes not more than " +
                   std::to_string(parameters.size()) + " argument(s)");
}

}  // namespace speclab::templates
