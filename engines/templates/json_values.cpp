#include "engines/templates/json_values.h"

#include <nlohmann/json.hpp>

#include "engines/templates/characters.h"

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

}  // namespace speclab::templates
