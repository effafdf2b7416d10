#include "experiments/drivers/config/run_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/interface/names.h"
#include "engines/interface/sampling_rows.h"
#include "experiments/drivers/config/axes_config.h"
#include "experiments/drivers/config/config_checks.h"
#include "experiments/drivers/config/config_paths.h"
#include "experiments/drivers/config/generation_axis.h"
#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/config/named_drafters.h"
#include "experiments/drivers/config/run_schema.h"
#include "experiments/drivers/config/zipped_axes.h"
#include "experiments/drivers/prompts/prompt_set.h"
#include "experiments/drivers/toml/config_file.h"
#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

/// A model is named in tables by the last part of its path.
void check_model_texts(const ConfigReader& target, const std::vector<std::string>& models) {
  for (std::size_t i = 0; i < models.size(); ++i)
    if (!table_text_problem(models[i]).empty())
      target.refuse_element("model", i,
                            fmt::format("paths that end in {}, or a target.name", kTableTextRule));
}

/// Reports a fault of the names at the key that gives them.
void read_model_names(const ConfigNode& root, RunConfig& config, Findings& findings) try {
  if (!findings.concerns("target.model") && !findings.concerns("target.name")) name_models(config);
} catch (const ConfigError& error) {
  const ConfigReader target = RunTables(root, findings).reader("target");
  target.add(target.has("name") ? "name" : "model", 0, error.what());
}

/// Rules between number formats, and of the device for them.
void check_numbers(const RunTables& tables, const RunConfig& config) {
  const ConfigReader target = tables.reader("target");
  const std::string &dtype = config.target.dtype, &activations = config.target.activations;
  if (tables.are_right({"target.dtype", "target.device"}) && config.target.device == "cuda" &&
      dtype != "auto" && dtype != "bfloat16")
    target.refuse("dtype", "auto or bfloat16 if target.device is cuda");
  if (!tables.are_right({"target.dtype", "target.activations", "target.cache_dtype"})) return;
  const bool is_expanded = dtype == "float32" || dtype == "bfloat16";
  if (activations != "exact" && is_expanded)
    target.refuse("activations", "exact if target.dtype is float32 or bfloat16");
  if (activations == "exact" && config.target.cache_dtype == "bfloat16")
    target.refuse("cache_dtype", "auto or float32 if target.activations is exact");
}

/// Rules of weights that do not fit into memory.
void check_streaming(const RunTables& tables, const RunConfig& config) {
  const ConfigReader target = tables.reader("target");
  if (!tables.are_right({"target.weights", "target.resident_bytes", "axes.weights"})) return;
  const bool is_streamed =
      config.target.weights == "streamed" || engines::is_among("streamed", config.axes.weights);
  if (is_streamed && config.target.resident_bytes == 0)
    target.refuse(target.has("resident_bytes") ? "resident_bytes" : "weights",
                  "streamed with target.resident_bytes of 1 or more");
  if (!is_streamed && config.target.resident_bytes != 0)
    target.refuse("resident_bytes",
                  "0 if target.weights is resident and axes.weights has no streamed");
  if (is_streamed && tables.are_right({"target.dtype"}) && config.target.dtype == "q8")
    target.refuse("dtype", "auto, file, bfloat16 or float32 if target.weights is streamed");
}

/// Rules between keys; one is asked only where the keys that it reads were found right.
void check_target(const RunTables& tables, const RunConfig& config) {
  const ConfigReader target = tables.reader("target");
  if (tables.are_right({"target.rounds", "target.device"}) && config.has_device_rounds() &&
      config.target.device == "cpu")
    target.refuse("rounds", "host if target.device is cpu");
  check_numbers(tables, config);
  check_streaming(tables, config);
  if (tables.are_right({"target.model"})) check_model_texts(target, config.axes.model);
  if (!tables.are_right({"target.model", "experiment.kind"})) return;
  const auto num_real = std::ranges::count_if(
      config.axes.model, [](const std::string& model) { return !is_shape_model(model); });
  const bool has_shapes = static_cast<std::size_t>(num_real) != config.axes.model.size();
  if (num_real != 1 && has_shapes)
    target.refuse("model",
                  "exactly one real model beside shape models, because they replay its acceptance");
  const Yield yield = experiment_kind(config.kind).yield;
  if (has_shapes && yield == Yield::drafts)
    target.refuse("model",
                  fmt::format("real models, because the kind {} reads their laws", config.kind));
}

void check_sampling(const RunTables& tables, const RunConfig& config) {
  if (!tables.are_right({"axes.temperature"})) return;
  const ConfigReader sampling = tables.reader("sampling");
  const bool greedy_only = std::ranges::all_of(config.axes.temperature,
                                               [](double temperature) { return temperature == 0; });
  engines::for_each_sampling_row([&](const auto& row) {
    if (row.is_cutoff && greedy_only && sampling.has(row.name))
      sampling.refuse(row.name, "nothing, because axes.temperature is 0 everywhere");
  });
}

void check_verification(const RunTables& tables, const RunConfig& config) {
  if (!tables.are_right({"axes.verifier"})) return;
  const ConfigReader verification = tables.reader("verification");
  const std::pair<const char*, const char*> keys[] = {{"lenient", "lenience"},
                                                      {"lenient", "lenient_residual"},
                                                      {"typical", "typical_epsilon"},
                                                      {"typical", "typical_delta"}};
  for (const auto& [verifier, key] : keys)
    if (verification.has(key) && !engines::is_among(verifier, config.axes.verifier))
      verification.refuse(key, fmt::format("nothing, because axes.verifier has no {}", verifier));
}

/// The pilots of one's own set are held out of it, unless another set is named.
void choose_pilots(const RunTables& tables, RunConfig& config) {
  if (tables.are_right({"pilot.set", "prompts.set"}) && !tables.reader("pilot").has("set") &&
      !is_project_set(config.prompts.set))
    config.pilot.set = config.prompts.set;
}

void check_places(const RunTables& tables, const RunConfig& config) {
  const ConfigReader experiment = tables.reader("experiment");
  if (tables.are_right({"experiment.kind"}) && experiment.has("places") &&
      config.kind != "drafter_acceptance")
    experiment.refuse("places", "nothing, because experiment.kind is not drafter_acceptance");
}

/// Each repetition of the others has a plain one to be compared with.
void check_repetitions(const RunTables& tables, const RunConfig& config) {
  if (!tables.are_right(
          {"experiment.kind", "experiment.repetitions", "experiment.plain_repetitions"}) ||
      config.plain_repetitions == 0)
    return;
  const ConfigReader experiment = tables.reader("experiment");
  if (config.kind != "decoding")
    experiment.refuse("plain_repetitions", "0, because experiment.kind is not decoding");
  else if (config.plain_repetitions < config.repetitions)
    experiment.refuse("plain_repetitions",
                      fmt::format("0 or at least experiment.repetitions, {}", config.repetitions));
}

void check_name(const RunTables& tables, const RunConfig& config) {
  if (!is_name(config.name))
    tables.reader("experiment")
        .refuse("name", fmt::format("{}; it names the run folder", kNameRule));
}

/// Runs of earlier revisions wrote a key into their manifests that changed nothing.
constexpr const char* kKeyOfManifests = "arithmetic";

void drop_key_of_manifests(ConfigNode& root) {
  if (!ConfigReader(root).has("provenance")) return;
  for (ConfigEntry& entry : std::get<ConfigNode::TableEntries>(root.value))
    if (entry.key == "target" && entry.node.is_table())
      std::erase_if(std::get<ConfigNode::TableEntries>(entry.node.value),
                    [](const ConfigEntry& key) { return key.key == kKeyOfManifests; });
}

void refuse_key_of_manifests(ConfigReader& target) {
  if (!target.has(kKeyOfManifests)) return;
  target.find(kKeyOfManifests);
  target.refuse(kKeyOfManifests,
                "nothing, because rows never depend on their number; remove the key");
}

/// Every key that the schema has, table by table.
void read_tables(ConfigReader& root, RunConfig& config, Findings& findings) {
  std::vector<std::string> tables;
  for (const Key<RunConfig>& key : run_keys())
    if (std::ranges::find(tables, key.table) == tables.end()) tables.push_back(key.table);
  for (const std::string& name : tables) {
    const ConfigNode* table = root.table(name.c_str());
    if (!table) continue;
    ConfigReader reader(*table, name, &findings);
    read_keys(reader, run_keys(), name, config);
    if (name == "target") refuse_key_of_manifests(reader);
    reader.finish();
  }
}

void read_all(ConfigNode& root_table, RunConfig& config, Findings& findings) {
  read_zips(root_table, config, findings);
  ConfigReader root(root_table, "", &findings);
  for (const char* key : {"include", "zip", "exclude"}) root.find(key);
  read_tables(root, config, findings);
  if (const ConfigNode* table = root.table("drafters")) read_drafters(*table, config, findings);
  if (const ConfigNode* table = root.table("provenance"))
    ConfigReader(*table, "provenance", &findings).read("question", config.question);
  root.finish();
  read_model_names(root_table, config, findings);
}

void check_all(const ConfigNode& root, RunConfig& config, Findings& findings) {
  const RunTables tables(root, findings);
  check_name(tables, config);
  check_repetitions(tables, config);
  check_places(tables, config);
  check_target(tables, config);
  check_axes(tables, config);
  check_verification(tables, config);
  check_sampling(tables, config);
  choose_pilots(tables, config);
  if (!tables.are_right({"axes", "target.model", "drafters", "zip", "exclude"})) return;
  read_exclusions(root, config, findings);
  if (findings.empty()) check_sweep(root, config, findings);
  if (findings.empty()) check_ways_of_decoding(tables, config);
}

void add_table(const char* table, const RunConfig& config, TomlText& toml) {
  toml.table(table);
  write_keys(toml, run_keys(), table, config);
}

void add_drafter(const NamedDrafter& drafter, TomlText& toml) {
  const bool dotted = drafter.name.find('.') != std::string::npos;
  toml.table(dotted ? "drafters.\"" + drafter.name + "\"" : "drafters." + drafter.name);
  write_keys(toml, drafter_keys(), "drafters.NAME", drafter);
}

/// A model stands there by its file, which can be loaded.
AxisSelection with_files(AxisSelection selection, const RunConfig& config) {
  if (const auto axis = selection.find("model"); axis != selection.end())
    for (std::string& model : axis->second) model = config.file_of(model);
  return selection;
}

void add_selection(const char* table, const AxisSelection& selection, TomlText& toml) {
  toml.table(std::string("[") + table + "]");
  for (const auto& [axis, values] : selection) {
    const bool has_numbers = axis == "temperature" || axis == "batch";
    std::vector<double> numbers;
    for (const std::string& value : values)
      if (has_numbers) numbers.push_back(std::stod(value));
    has_numbers ? toml.add(axis, numbers) : toml.add(axis, values);
  }
}

}  // namespace

RunConfig read_run_config(const std::string& path, const std::vector<std::string>& settings) {
  Findings findings;
  ConfigNode root = read_config_with_includes(path, findings);
  if (findings.empty()) expect_config_of(ConfigCommand::run, root, path);
  drop_key_of_manifests(root);
  for (const std::string& setting : settings) set_config_value(root, setting);
  resolve_run_paths(root);
  RunConfig config;
  config.question = opening_comment(root.where.source->content);
  read_all(root, config, findings);
  if (!findings.has_unread_text()) check_all(root, config, findings);
  findings.throw_if_any();
  return config;
}

bool is_shape_model(const std::string& model) {
  return model.starts_with(engines::kShapeModelPrefix);
}

bool is_widened_model(const std::string& model) {
  return model.starts_with(engines::kWidenedModelPrefix);
}

std::string to_toml(const RunConfig& config) {
  TomlText toml;
  for (const char* table : {"experiment", "target"}) add_table(table, config, toml);
  for (const NamedDrafter& drafter : config.drafters) add_drafter(drafter, toml);
  for (const char* table : {"axes", "verification", "sampling", "prompts", "pilot", "costs"})
    add_table(table, config, toml);
  for (const AxisSelection& zip : config.zips) add_selection("zip", with_files(zip, config), toml);
  for (const AxisSelection& exclusion : config.exclusions)
    add_selection("exclude", with_files(exclusion, config), toml);
  return toml.content();
}

}  // namespace speclab::experiments
