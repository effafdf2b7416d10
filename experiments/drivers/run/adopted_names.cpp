#include "experiments/drivers/run/adopted_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/drivers/run/run_log.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

/// Targets of the section that was opened last; none where nothing was begun, or where the journal
/// is damaged, which is told when it is opened.
std::vector<ModelEntry> targets_of_run(const std::string& folder) try {
  std::error_code none;
  if (!std::filesystem::exists(folder + "/journal", none)) return {};
  const RunLog log(folder, Journal::Tail::left);
  if (log.sections().empty()) return {};
  std::vector<ModelEntry> targets = log.sections().rbegin()->second.header.models;
  std::erase_if(targets, [](const ModelEntry& model) { return model.role != "target"; });
  return targets;
} catch (const DataError&) {
  return {};
}

bool has_name(const std::vector<ModelEntry>& targets, const std::string& name) {
  return std::ranges::find(targets, name, &ModelEntry::name) != targets.end();
}

void rename(RunConfig& config, const std::string& was, const std::string& now) {
  std::ranges::replace(config.models, was, now);
  for (auto* selections : {&config.zips, &config.exclusions})
    for (AxisSelection& selection : *selections)
      if (const auto axis = selection.find("model"); axis != selection.end())
        std::ranges::replace(axis->second, was, now);
  config.model_names = config.models;
}

}  // namespace

void adopt_names_of_run(RunConfig& config, const std::string& folder,
                        const OpenEngines& open_engines,
                        const std::function<void(const std::string&)>& note) {
  const std::vector<ModelEntry> targets = targets_of_run(folder);
  if (targets.empty()) return;
  const bool gives_names = !config.model_names.empty();
  for (const std::string& name : std::vector<std::string>(config.models)) {
    if (is_shape_model(name) || has_name(targets, name)) continue;
    const std::string digest =
        open_engines()->inspect_model({.model = config.file_of(name)}).info.sha256;
    const auto same = std::ranges::find(targets, digest, &ModelEntry::sha256);
    if (same == targets.end() ||
        std::ranges::find(config.models, same->name) != config.models.end())
      continue;
    if (gives_names)
      note(
          fmt::format("{} began with the name {} for this model; target.name = {} holds in a new "
                      "run only",
                      folder, escaped(same->name), escaped(name)));
    rename(config, name, same->name);
  }
}

}  // namespace speclab::experiments
