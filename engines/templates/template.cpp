#include "engines/templates/template.h"

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "engines/templates/evaluator.h"
#include "engines/templates/json_values.h"
#include "engines/templates/parser.h"

namespace speclab::templates {

struct Template::Tree {
  Body body;
};

Template::Template(std::string_view source, const Limits& limits)
    : tree_(std::make_unique<Tree>(Tree{parsed(source, limits)})) {}
Template::Template(Template&&) noexcept = default;
Template& Template::operator=(Template&&) noexcept = default;
Template::~Template() = default;

std::string Template::render(const nlohmann::ordered_json& variables,
                             const RenderOptions& options) const {
  Rendering rendering(options.limits, options.strftime_now);
  Evaluator evaluator(rendering);
  const auto given = std::make_shared<Scope>();
  for (const auto& [name, function] : global_functions(rendering)) given->set(name, function);
  for (const auto& [name, value] : variables.items()) given->set(name, value_of(rendering, value));
  return evaluator.text_of(tree_->body, std::make_shared<Scope>(given));
}

std::string time_now(const std::string& format) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 4096> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format.c_str(), &local)};
}

}  // namespace speclab::templates
