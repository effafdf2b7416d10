#include "engines/templates/template.h"

#include <nlohmann/json.hpp>

#include <array>
#include <ctime>

#include "engines/templates/characters.h"
#include "engines/templates/evaluator.h"
#include "engines/templates/parser.h"
#include "engines/templates/python.h"

namespace speclab::templates {
namespace {

using Json = nlohmann::ordered_json;

Value text_of(Rendering& rendering, const std::string& text) {
  if (!is_valid_utf8(text)) rendering.fail("a text of the input is no UTF-8");
  return rendering.make_text(text);
}

Value converted(Rendering& rendering, const Json& json, std::size_t depth) {
  if (depth > rendering.limits().value_depth)
    rendering.fail_limit("levels of values " + std::to_string(rendering.limits().value_depth));
  switch (json.type()) {
    case Json::value_t::boolean:
      return Value(json.get<bool>());
    case Json::value_t::number_integer:
      return Value(static_cast<Integer>(json.get<std::int64_t>()));
    case Json::value_t::number_unsigned:
      return Value(static_cast<Integer>(json.get<std::uint64_t>()));
    case Json::value_t::number_float:
      return Value(json.get<double>());
    case Json::value_t::string:
      return text_of(rendering, json.get_ref<const std::string&>());
    case Json::value_t::array: {
      std::vector<Value> items;
      items.reserve(json.size());
      for (const Json& item : json) items.push_back(converted(rendering, item, depth + 1));
      return rendering.make_list(std::move(items));
    }
    case Json::value_t::object: {
      Mapping mapping;
      mapping.items.reserve(json.size());
      for (const auto& [key, item] : json.items())
        mapping.items.emplace_back(text_of(rendering, key), converted(rendering, item, depth + 1));
      return rendering.make_mapping(std::move(mapping));
    }
    default:
      return {};
  }
}

}  // namespace

Value value_of(Rendering& rendering, const Json& json) { return converted(rendering, json, 1); }

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
