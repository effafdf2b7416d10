#include "experiments/drivers/run/adopted_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/drivers/config/config_tree.h"
#include "experiments/drivers/run/run_log.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

/// The headers of a run, the first section's first; none where nothing was begun, or where the
/// journal is damaged, which is told when it is opened.
std::vector<HeaderEntry> headers_of_run(const std::string& folder) try {
  std::error_code none;
  if (!std::filesystem::exists(folder + "/journal", none)) return {};
  std::vector<HeaderEntry> headers;
  const RunLog log(folder, Journal::Tail::left);
  for (const auto& [number, section] : log.sections()) headers.push_back(section.header);
  return headers;
} catch (const DataError&) {
  return {};
}

/// The value of drafters.NAME.model in a config; empty where there is none.
std::string drafter_model(const std::string& config, const std::string& name) {
  const ConfigNode root = parse_config(config, "journal");
  const ConfigNode* node = &root;
  for (const std::string& key : {std::string("drafters"), name, std::string("model")}) {
    if (!node->is_table()) return "";
    const auto& entries = std::get<ConfigNode::TableEntries>(node->value);
    const auto found = std::ranges::find(entries, key, &ConfigEntry::key);
    if (found == entries.end()) return "";
    node = &found->node;
  }
  const auto* text = std::get_if<std::string>(&node->value);
  return text ? *text : "";
}

/// The model of a role for which a member has this value; null where there is none.
const ModelEntry* model_of(const HeaderEntry& header, const std::string& role,
                           std::string ModelEntry::* member, const std::string& value) {
  for (const ModelEntry& model : header.models)
    if (model.role == role && model.*member == value) return &model;
  return nullptr;
}

void rename(RunConfig& config, const std::string& was, const std::string& now) {
  std::ranges::replace(config.models, was, now);
  for (auto* selections : {&config.zips, &config.exclusions})
    for (AxisSelection& selection : *selections)
      if (const auto axis = selection.find("model"); axis != selection.end())
        std::ranges::replace(axis->second, was, now);
  config.model_names = config.models;
}

/// The models of a config against those of a run that was begun.
class KnownModels {
 public:
  KnownModels(std::vector<HeaderEntry> headers, const OpenEngines& open_engines)
      : headers_(std::move(headers)), open_engines_(open_engines) {}

  /// The name of a target in the run; its own where the run does not have it.
  std::string name_of_target(const std::string& name, const std::string& file) {
    if (is_shape_model(name) || model_of(headers_.back(), "target", &ModelEntry::name, name))
      return name;
    const std::string digest = engines().inspect_model({.model = file}).info.sha256;
    const ModelEntry* known = model_of(headers_.back(), "target", &ModelEntry::sha256, digest);
    return known ? known->name : name;
  }

  /// The path of the drafter's model when the run first had it; empty where that is its own.
  std::string path_of_drafter(const NamedDrafter& drafter) {
    const std::string& own = drafter.options.model;
    if (own.empty() || first_path(drafter, "") == own || first_path(drafter, "").empty()) return "";
    const std::string known = first_path(drafter, digest_of(drafter));
    return known == own ? "" : known;
  }

 private:
  engines::Engines& engines() {
    if (!engines_) engines_ = open_engines_();
    return *engines_;
  }

  /// In the first section that has the drafter. @param digest  of its model there; empty: any
  std::string first_path(const NamedDrafter& drafter, const std::string& digest) const {
    for (const HeaderEntry& header : headers_)
      if (const auto* model = model_of(header, "drafter", &ModelEntry::name, drafter.name);
          model && (digest.empty() || model->sha256 == digest))
        return drafter_model(header.config, drafter.name);
    return "";
  }

  std::string digest_of(const NamedDrafter& drafter) {
    for (const HeaderEntry& header : headers_)
      if (const auto* model = model_of(header, "drafter", &ModelEntry::name, drafter.name);
          model && drafter_model(header.config, drafter.name) == drafter.options.model)
        return model->sha256;
    const auto info = engines().drafter_info(drafter.options);
    return info ? info->sha256 : "none";
  }

  const std::vector<HeaderEntry> headers_;
  const OpenEngines& open_engines_;
  std::unique_ptr<engines::Engines> engines_;
};

}  // namespace

void adopt_names_of_run(RunConfig& config, const std::string& folder,
                        const OpenEngines& open_engines,
                        const std::function<void(const std::string&)>& note) {
  std::vector<HeaderEntry> headers = headers_of_run(folder);
  if (headers.empty()) return;
  KnownModels known(std::move(headers), open_engines);
  const bool gives_names = !config.model_names.empty();
  for (const std::string& name : std::vector<std::string>(config.models)) {
    const std::string begun = known.name_of_target(name, config.file_of(name));
    if (begun == name || std::ranges::find(config.models, begun) != config.models.end()) continue;
    if (gives_names)
      note(
          fmt::format("{} began with the name {} for this model; target.name = {} holds in a new "
                      "run only",
                      folder, escaped(begun), escaped(name)));
    rename(config, name, begun);
  }
  for (NamedDrafter& drafter : config.drafters) drafter.known_as = known.path_of_drafter(drafter);
}

}  // namespace speclab::experiments
