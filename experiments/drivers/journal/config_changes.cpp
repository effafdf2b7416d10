#include "experiments/drivers/journal/config_changes.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <sstream>

#include "sim/core/model_name.h"

namespace speclab::experiments {
namespace {

/// Values by "table.key", of lists of tables by "table 1.key" and so on. Every line of to_toml is
/// empty, a table's header or "key = value". Earlier revisions wrote target.arithmetic too, which
/// changed nothing.
std::map<std::string, std::string> values_of(const std::string& toml) {
  std::map<std::string, std::string> values;
  std::istringstream lines(toml);
  std::string table;
  std::map<std::string, int> turns;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[[")) {
      const std::string name = line.substr(2, line.size() - 4);
      table = fmt::format("{} {}", name, ++turns[name]);
    } else if (line.starts_with('['))
      table = line.substr(1, line.size() - 2);
    else if (const std::size_t equals = line.find(" = "); equals != std::string::npos)
      values[table + "." + line.substr(0, equals)] = line.substr(equals + 3);
  }
  values.erase("target.arithmetic");
  return values;
}

/// The texts of a value, without their quotes.
std::string with_names(const std::string& value) {
  std::string named;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t open = value.find('"', at);
    const std::size_t close = open == std::string::npos ? open : value.find('"', open + 1);
    if (close == std::string::npos) return named + value.substr(at);
    named += value.substr(at, open + 1 - at) +
             model_name_of_path(value.substr(open + 1, close - open - 1)) + '"';
    at = close + 1;
  }
  return named;
}

/// A target is what its name says, wherever it lies.
void put_names_for_paths(std::map<std::string, std::string>& values) {
  if (const auto model = values.find("target.model"); model != values.end())
    model->second = with_names(model->second);
  if (const auto name = values.find("target.name"); name != values.end()) {
    values["target.model"] = name->second;
    values.erase(name);
  }
}

std::string shown(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? "not set" : found->second;
}

}  // namespace

std::string config_changes(const std::string& was, const std::string& now,
                           const std::function<bool(const std::string& key)>& counts) {
  auto before = values_of(was), after = values_of(now);
  put_names_for_paths(before);
  put_names_for_paths(after);
  std::set<std::string> keys;
  for (const auto* values : {&before, &after})
    for (const auto& [key, value] : *values) keys.insert(key);
  std::string changes;
  for (const std::string& key : keys)
    if (counts(key) && shown(before, key) != shown(after, key))
      changes += fmt::format("\n  {}: was {}, now {}", key, shown(before, key), shown(after, key));
  return changes;
}

}  // namespace speclab::experiments
