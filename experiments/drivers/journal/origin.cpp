#include "experiments/drivers/journal/origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "experiments/drivers/program/build_info.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/program/program_call.h"
#include "sim/core/setting.h"
#include "sim/system/errors.h"

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

constexpr std::array<std::string_view, 16> kChoices{"experiment.name",
                                                    "experiment.repetitions",
                                                    "experiment.plain_repetitions",
                                                    "target.model",
                                                    "target.name",
                                                    "drafters.",
                                                    "axes.",
                                                    "zip ",
                                                    "exclude ",
                                                    "verification.",
                                                    "prompts.set",
                                                    "prompts.categories",
                                                    "prompts.per_category",
                                                    "prompts.pool_categories",
                                                    "pilot.",
                                                    "costs."};
constexpr std::array<std::string_view, 9> kOrigins{
    "target.device",      "target.dtype",   "target.activations",
    "target.cache_dtype", "target.kernels", "target.rounds",
    "target.threads",     "target.weights", "target.resident_bytes"};
constexpr std::array<std::string_view, 2> kDigests{
    "config_sha256", "prompts_sha256"};  ///< of the config, not of what it runs on

bool begins_with_any(const std::string& key, const auto& beginnings) {
  return std::ranges::any_of(
      beginnings, [&](std::string_view beginning) { return key.starts_with(beginning); });
}

std::string value_of(const Provenance& provenance, const std::string& key) {
  const auto found = std::ranges::find(provenance, key, &Provenance::value_type::first);
  return found == provenance.end() ? "" : found->second;
}

std::string change(const std::string& key, const std::string& was, const std::string& now) {
  return was == now ? "" : fmt::format("\n  {}: was {}, now {}", key, was, now);
}

std::string model_change(const HeaderEntry& begun, const HeaderEntry& now,
                         const ModelEntry& model) {
  const auto found = std::ranges::find(begun.models, model.name, &ModelEntry::name);
  if (found == begun.models.end()) return "";
  const auto defines_it = [table = "drafters." + model.name + "."](const std::string& key) {
    return key.starts_with(table);
  };
  const bool is_another =
      model.role == "drafter" && !config_changes(begun.config, now.config, defines_it).empty();
  return is_another ? ""
                    : change("model " + model.name, found->sha256, model.sha256) +
                          change("config.json of model " + model.name, found->config_sha256,
                                 model.config_sha256);
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

KeyRole role_of(const std::string& key) {
  if (begins_with_any(key, kChoices)) return KeyRole::choice;
  return begins_with_any(key, kOrigins) ? KeyRole::origin : KeyRole::setting;
}

std::string origin_changes(const HeaderEntry& begun, const HeaderEntry& now) {
  std::string changes;
  for (const auto& [key, value] : now.provenance)
    if (std::ranges::find(kDigests, key) == kDigests.end())
      changes += change(key, value_of(begun.provenance, key), value);
  for (const ModelEntry& model : now.models) changes += model_change(begun, now, model);
  return changes;
}

void check_same_origin(const HeaderEntry& begun, const HeaderEntry& now,
                       const std::string& folder) {
  const std::string changes = origin_changes(begun, now);
  if (!changes.empty()) throw_drift(changes, folder);
}

void check_same_header(const HeaderEntry& begun, const HeaderEntry& now,
                       const std::string& folder) {
  std::string changes = config_changes(begun.config, now.config) + origin_changes(begun, now);
  const bool says_the_same = changes.empty() && begun.config != now.config;  // at other paths
  for (const std::string_view key : kDigests)
    if (key != "config_sha256" || !says_the_same)
      changes += change(std::string(key), value_of(begun.provenance, std::string(key)),
                        value_of(now.provenance, std::string(key)));
  if (!changes.empty()) throw_drift(changes, folder);
}

void throw_drift(const std::string& changes, const std::string& folder) {
  throw DriftError(
      fmt::format("{}: another run was begun here:{}\nrestore the differences, or give another "
                  "--output; --allow-mixed continues if only program, machine, device, number "
                  "format or model file differ, and notes the origin of every row",
                  folder, changes));
}

Provenance program_origin(const engines::MachineInfo& machine, const std::string& device) {
  return {{"revision", kRevision},
          {"program_sha256", program_sha256()},
          {"engines_sha256", engines_sha256()},
          {"build_type", kBuildType},
          {"flags", kFlags},
          {"compiler", kCompiler},
          {"libtorch", machine.libtorch_version},
          {"blas", machine.blas},
          {"machine", machine.cpu_model},
          {"governor", machine.governor},
          {"device", device},
          {"driver", machine.driver},
          {"threads", std::to_string(machine.threads)}};
}

}  // namespace speclab::experiments
