#include "experiments/drivers/run/adopted_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/drivers/journal/entry_json.h"
#include "experiments/drivers/journal/journal.h"
#include "experiments/drivers/journal/origin.h"
#include "experiments/drivers/toml/config_tree.h"
#include "sim/core/setting.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// The headers of a run, the first section's first; none where nothing was begun, or where the
/// journal is damaged, which is told when it is opened.
std::vector<HeaderEntry> headers_of_run(const std::string& folder) try {
  std::error_code none;
  if (!std::filesystem::exists(folder + "/journal", none)) return {};
  std::vector<HeaderEntry> headers;
  Journal::open(folder, Journal::Tail::left, [&](std::string_view payload, JournalPlace) {
    const EntryLine line = entry_line(payload);
    if (line.kind == "header") headers.push_back(header_entry(entry_json(line)));
  });
  return headers;
} catch (const DataError&) {
  return {};
}

/// The texts of a key in tables within tables; empty where there is no such key.
std::vector<std::string> texts_at(const std::string& config, const std::vector<std::string>& keys) {
  const ConfigNode root = parse_config(config, "journal");
  const ConfigNode* node = &root;
  for (const std::string& key : keys) {
    if (!node->is_table()) return {};
    const auto& entries = std::get<ConfigNode::TableEntries>(node->value);
    const auto found = std::ranges::find(entries, key, &ConfigEntry::key);
    if (found == entries.end()) return {};
    node = &found->node;
  }
  if (const auto* text = std::get_if<std::string>(&node->value)) return {*text};
  std::vector<std::string> texts;
  if (node->is_list())
    for (const ConfigNode& element : std::get<ConfigNode::List>(node->value))
      if (const auto* text = std::get_if<std::string>(&element.value)) texts.push_back(*text);
  return texts;
}

std::string drafter_model(const std::string& config, const std::string& name) {
  const std::vector<std::string> texts = texts_at(config, {"drafters", name, "model"});
  return texts.empty() ? "" : texts.front();
}

/// The file of a target in a run's config; empty where it is not told, as on a zipped axis.
std::string target_file(const std::string& config, const std::string& name) {
  const std::vector<std::string> files = texts_at(config, {"target", "model"}),
                                 names = texts_at(config, {"target", "name"});
  for (std::size_t i = 0; i < files.size(); ++i)
    if ((names.size() == files.size() ? names[i] : model_name_of_path(files[i])) == name)
      return files[i];
  return "";
}

/// The model of a role for which a member has this value; null where there is none.
const ModelEntry* model_of(const HeaderEntry& header, const std::string& role,
                           std::string ModelEntry::* member, const std::string& value) {
  for (const ModelEntry& model : header.models)
    if (model.role == role && model.*member == value) return &model;
  return nullptr;
}

void rename(RunConfig& config, const std::string& was, const std::string& now) {
  const auto rename_in = [&](std::vector<std::string>& models) {
    for (std::string& model : models)
      if (model == was) model = now;
  };
  rename_in(config.axes.model);
  for (auto* selections : {&config.zips, &config.exclusions})
    for (AxisSelection& selection : *selections)
      if (const auto axis = selection.find("model"); axis != selection.end())
        rename_in(axis->second);
  config.model_names = config.axes.model;
}

/// The models of a config against those of a run that was begun.
class KnownModels {
 public:
  KnownModels(std::vector<HeaderEntry> headers, BegunRun run, const OpenEngines& open_engines)
      : headers_(std::move(headers)), run_(std::move(run)), open_engines_(open_engines) {}

  /// The name of a target in the run; its own where the run does not have it.
  /// @throws DriftError if the run has another model of this name, which lies elsewhere
  std::string name_of_target(const std::string& name, const std::string& file) {
    const ModelEntry* same = model_of(headers_.back(), "target", &ModelEntry::name, name);
    if (is_shape_model(name) || (same && target_file(headers_.back().config, name) == file))
      return name;
    const std::string digest = engines().inspect_model({.model = file}).info.sha256;
    if (same && same->sha256 != digest && !run_.allow_mixed)
      throw_drift(fmt::format("\n  model {}: was {}, now {}", name, same->sha256, digest),
                  run_.folder);
    if (same) return name;
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
  const BegunRun run_;
  const OpenEngines& open_engines_;
  std::unique_ptr<engines::Engines> engines_;
};

}  // namespace

void adopt_names_of_run(RunConfig& config, const BegunRun& run, const OpenEngines& open_engines,
                        const std::function<void(const std::string&)>& note) {
  std::vector<HeaderEntry> headers = headers_of_run(run.folder);
  if (headers.empty()) return;
  KnownModels known(std::move(headers), run, open_engines);
  const bool gives_names = !config.model_names.empty();
  for (const std::string& name : std::vector<std::string>(config.axes.model)) {
    const std::string begun = known.name_of_target(name, config.file_of(name));
    if (begun == name || std::ranges::find(config.axes.model, begun) != config.axes.model.end())
      continue;
    if (gives_names)
      note(
          fmt::format("{} began with the name {} for this model; target.name = {} holds in a new "
                      "run only",
                      run.folder, escaped(begun), escaped(name)));
    rename(config, name, begun);
  }
  for (NamedDrafter& drafter : config.drafters) drafter.known_as = known.path_of_drafter(drafter);
}

}  // namespace speclab::experiments
