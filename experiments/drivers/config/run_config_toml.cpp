#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/config/run_schema.h"

namespace speclab::experiments {
namespace {

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
    std::vector<double> temperatures;
    for (const std::string& value : values)
      if (axis == "temperature") temperatures.push_back(std::stod(value));
    axis == "temperature" ? toml.add(axis, temperatures) : toml.add(axis, values);
  }
}

}  // namespace

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
