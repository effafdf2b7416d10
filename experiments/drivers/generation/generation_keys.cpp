#include "experiments/drivers/generation/generation_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engines/interface/sampling_options.h"
#include "sim/system/edit_distance.h"
#include "sim/system/json_text.h"

namespace speclab::experiments {
namespace {

constexpr KeyRange kTokenIds{0, std::numeric_limits<Token>::max()};
constexpr KeyRange kAboveZero{.least = 0, .has_least = false};

bool is_in_range(const KeyRange& range, double value) {
  if (!std::isfinite(value)) return false;
  const bool above = range.has_least ? value >= range.least : value > range.least;
  const bool below = range.has_most ? value <= range.most : value < range.most;
  return above && below;
}

bool is_number(const KeyRange& range, const KeyValue& value) {
  return value.is_number() && is_in_range(range, value.get<double>());
}

bool is_temperature(const KeyRange& range, const KeyValue& value) {
  return is_number(range, value) &&
         (value.get<double>() == 0 || value.get<double>() >= engines::kLeastTemperature);
}

bool is_integer(const KeyRange& range, const KeyValue& value) {
  return value.is_number_integer() && is_number(range, value);
}

bool is_token(const KeyValue& value) { return is_integer(kTokenIds, value); }

bool is_text(const KeyValue& value) { return value.is_string() && value != ""; }

bool is_list_of(const KeyValue& value, auto is_item) {
  return value.is_array() && std::ranges::all_of(value, is_item);
}

bool is_token_list(const KeyValue& value) { return is_list_of(value, is_token) && !value.empty(); }

bool is_words(const KeyValue& value) {
  const auto is_word = [](const KeyValue& item) {
    return is_token_list(item) || (is_list_of(item, is_token_list) && !item.empty());
  };
  return is_list_of(value, is_word) && !value.empty();
}

bool is_bias(const KeyValue& value) {
  return value.is_array() && value.size() == 2 && is_token_list(value[0]) &&
         is_number(KeyRange{}, value[1]);
}

bool is_decay(const KeyValue& value) {
  return value.is_array() && value.size() == 2 && is_token(value[0]) &&
         is_number(kAboveZero, value[1]);
}

bool is_one_of(const KeyValue& value, std::initializer_list<const char*> names) {
  return value.is_string() && std::ranges::find(names, value.get<std::string>()) != names.end();
}

bool is_cache_kind(const KeyValue& value) {
  return is_one_of(
      value, {"static", "offloaded_static", "sliding_window", "hybrid", "mamba", "offloaded"});
}

}  // namespace

std::string GenerationKey::option() const {
  std::string text = "--" + std::string(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

const GenerationKey* find_generation_key(std::string_view name) {
  const auto keys = generation_keys();
  const auto key = std::ranges::find(keys, name, &GenerationKey::name);
  return key == keys.end() ? nullptr : &*key;
}

std::string nearest_key_hint(std::string_view unknown) {
  const std::string_view found = unknown.substr(0, 100);
  const auto distance = [&](const GenerationKey& key) { return edit_distance(found, key.name); };
  return fmt::format("; did you mean {}?",
                     std::ranges::min_element(generation_keys(), {}, distance)->name);
}

bool takes_value(const GenerationKey& key, const KeyValue& value) {
  using enum KeyForm;
  switch (key.form) {
    case boolean:
      return value.is_boolean();
    case integer:
      return is_integer(key.range, value);
    case number:
      return is_number(key.range, value);
    case temperature:
      return is_temperature(key.range, value);
    case text_or_texts:
      return is_text(value) || (is_list_of(value, is_text) && !value.empty());
    case token_or_tokens:
      return is_token(value) || is_token_list(value);
    case tokens:
      return is_list_of(value, is_token);
    case token_lists:
      return is_list_of(value, is_token_list);
    case words:
      return is_words(value);
    case biases:
      return is_list_of(value, is_bias);
    case decay:
      return is_decay(value);
    case when_to_stop:
      return value.is_boolean() || value == "never";
    case schedule:
      return is_one_of(value, {"constant", "heuristic", "heuristic_transient"});
    case cache_kind:
      return is_cache_kind(value);
    case anything:
      return true;
  }
  return false;
}

std::string shown(const KeyValue& value, std::size_t longest) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    return fmt::format("{}", value.get<double>());  // JSON has no such numbers
  return shown_json(value, longest);
}

}  // namespace speclab::experiments
