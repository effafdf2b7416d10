#include "engines/templates/macros.h"

#include <algorithm>

namespace speclab::templates {

const Value* Macro::attribute(Rendering& rendering, const std::string& name) {
  if (name == "name") {
    attribute_ = rendering.make_text(definition_.name);
  } else if (name == "arguments") {
    std::vector<Value> names;
    for (const auto& [parameter, missing] : definition_.signature.parameters)
      names.push_back(rendering.make_text(parameter));
    attribute_ = rendering.make_sequence(SequenceKind::tuple, std::move(names));
  } else {
    return nullptr;
  }
  return &attribute_;
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
