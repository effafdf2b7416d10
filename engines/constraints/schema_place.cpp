// A schema as text, and the values in it with their paths.

#include <fmt/format.h>

#include <set>
#include <vector>

#include "engines/constraints/json_schema.h"
#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::engines {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse_text(const std::string& file, const std::string& found,
                              const std::string& allowed) {
  throw ConfigError(
      fmt::format("{}: {}; allowed: {}", escaped(file, kLongestPath), found, allowed));
}

/// Refuses texts that the parser misreads: it takes a zero byte for the end, and any depth.
void check_text(std::string_view text, const std::string& file) {
  constexpr int kMostNesting = 4 * kMostSchemaDepth;  // objects and lists of the text
  if (text.size() > kMostSchemaBytes)
    refuse_text(file, fmt::format("{} bytes", text.size()), "at most 1 MiB");
  if (text.find('\0') != std::string_view::npos) refuse_text(file, "a zero byte", "JSON in UTF-8");
  if (const int depth = json_depth(text); depth > kMostNesting)
    refuse_text(file, fmt::format("{} levels of lists and objects", depth),
                fmt::format("at most {}", kMostNesting));
}

}  // namespace

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

Json parse_schema(std::string_view text, const std::string& file) try {
  check_text(text, file);
  std::vector<std::set<std::string>> keys;  // of the open objects
  // The parser takes the last of two members of one key.
  return Json::parse(text, [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(parsed.get_ref<const std::string&>()).second)
      refuse_text(file, fmt::format("the key {} twice in one object", shown_json(parsed)), "once");
    return true;
  });
} catch (const Json::parse_error& error) {
  refuse_text(file, fmt::format("no valid JSON at byte {}", error.byte), "a JSON schema in UTF-8");
} catch (const Json::out_of_range&) {
  refuse_text(file, "a number that no double holds", "numbers up to 1.7e308 in size");
}

}  // namespace speclab::engines
