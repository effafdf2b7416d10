#include "experiments/drivers/journal/origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "experiments/drivers/journal/config_changes.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

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

}  // namespace speclab::experiments
