#include "analysis/tables/json_lines.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/json_text.h"

namespace speclab::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShown = 100;  ///< characters of what was found

std::string shown(const Json& value) { return shown_json(value, kMostShown); }

const Json& member(const Json& object, const char* key) {
  if (!object.is_object())
    throw DataError(fmt::format("{}; allowed: an object with '{}'", shown(object), key));
  const auto found = object.find(key);
  if (found == object.end())
    throw DataError(fmt::format("no '{}'; allowed: an object that has it", key));
  return *found;
}

/// The member where `is_allowed` says so.
const Json& typed(const Json& object, const char* key, bool (Json::*is_allowed)() const noexcept,
                  const char* allowed) {
  const Json& value = member(object, key);
  if (!(value.*is_allowed)())
    throw DataError(fmt::format("{} = {}; allowed: {}", key, shown(value), allowed));
  return value;
}

Json parsed(const std::string& line) {
  if (json_depth(line) > kMostJsonDepth)
    throw DataError(fmt::format("{} levels of lists and objects; allowed: at most {}",
                                json_depth(line), kMostJsonDepth));
  try {
    return Json::parse(line);
  } catch (const Json::parse_error& error) {
    throw DataError(fmt::format("byte {}: no JSON; allowed: an object", error.byte));
  }
}

}  // namespace

void for_each_json_line(const std::string& path, const std::function<void(const Json&)>& visit) {
  std::istringstream lines(read_file(path));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    try {
      visit(parsed(line));
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
}

std::int64_t whole_number(const Json& object, const char* key) {
  const Json& value = typed(object, key, &Json::is_number_integer, "an integer");
  if (value.is_number_unsigned() && !std::in_range<std::int64_t>(value.get<std::uint64_t>()))
    throw DataError(fmt::format("{} = {}; allowed: an integer of 64 bits", key, shown(value)));
  return value.get<std::int64_t>();
}

double number(const Json& object, const char* key) {
  return typed(object, key, &Json::is_number, "a number").get<double>();
}

bool flag(const Json& object, const char* key) {
  return typed(object, key, &Json::is_boolean, "true or false").get<bool>();
}

const std::string& text(const Json& object, const char* key) {
  return typed(object, key, &Json::is_string, "a text").get_ref<const std::string&>();
}

const Json& list(const Json& object, const char* key) {
  return typed(object, key, &Json::is_array, "a list");
}

}  // namespace speclab::analysis
