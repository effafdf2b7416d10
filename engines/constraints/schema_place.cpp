#include "engines/constraints/schema_place.h"

#include <fmt/format.h>

#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::engines {

constexpr std::int32_t kLongest = 100'000;

SchemaPlace SchemaPlace::at(const std::string& key) const {
  return {*file_, value_->at(key), path_ + "." + key};
}

SchemaPlace SchemaPlace::at(std::size_t index) const {
  return {*file_, value_->at(index), fmt::format("{}[{}]", path_, index)};
}

const std::string& SchemaPlace::text() const {
  if (!value_->is_string()) fail(shown(), "a string");
  return value_->get_ref<const std::string&>();
}

std::vector<SchemaPlace> SchemaPlace::elements() const {
  if (!value_->is_array() || value_->empty()) fail(shown(), "a list that is not empty");
  std::vector<SchemaPlace> all;
  for (std::size_t i = 0; i < value_->size(); ++i) all.push_back(at(i));
  return all;
}

std::optional<std::int32_t> SchemaPlace::length(const char* key) const {
  if (!has(key)) return std::nullopt;
  const SchemaPlace place = at(key);
  const Json& value = place.value();
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kLongest)
    place.fail(place.shown(), fmt::format("whole numbers from 0 to {}", kLongest));
  return value.get<std::int32_t>();
}

std::optional<SchemaPlace> SchemaPlace::number(const char* key) const {
  if (!has(key)) return std::nullopt;
  const SchemaPlace place = at(key);
  if (!place.value().is_number()) place.fail(place.shown(), "a number");
  return place;
}

void SchemaPlace::fail(const std::string& found, const std::string& allowed) const {
  throw ConfigError(fmt::format("{}: {}; allowed: {}", name(), found, allowed));
}

std::string SchemaPlace::name() const {
  return fmt::format("{}: {}", escaped(*file_, kLongestPath), escaped(path_, 200));
}

std::string SchemaPlace::shown() const { return shown_json(*value_); }

}  // namespace speclab::engines
