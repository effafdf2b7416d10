#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/drivers/config/config_checks.h"
#include "experiments/drivers/config/run_config.h"
#include "sim/core/setting.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// @param given  of the key target.name; empty: the name comes from the path
std::string checked_name(const std::string& file, const std::string& given) {
  const std::string name = given.empty() ? model_name_of_path(file) : given;
  if (is_shape_model(file) || is_widened_model(file)) {
    if (name == file) return name;
    throw ConfigError(
        fmt::format("target.name = \"{}\" for {}; allowed: its own name, which tells its sizes",
                    escaped(name, 60), escaped(file, 60)));
  }
  if (is_shape_model(name))
    throw ConfigError(
        fmt::format("target.name: {} would be named {}, as if its weights were random; allowed: "
                    "another name in target.name",
                    escaped(file, 200), escaped(name, 60)));
  if (!given.empty() && !is_name(given))
    throw ConfigError(
        fmt::format("target.name = \"{}\"; allowed: {}", escaped(given, 60), kNameRule));
  return name;
}

}  // namespace

const std::string& RunConfig::file_of(const std::string& model) const {
  const auto found = std::ranges::find(axes.model, model);
  const auto place = static_cast<std::size_t>(found - axes.model.begin());
  return place < axes.model.size() && place < model_files.size() ? model_files[place] : model;
}

const std::string& RunConfig::name_of(const std::string& file) const {
  const auto found = std::ranges::find(model_files, file);
  const auto place = static_cast<std::size_t>(found - model_files.begin());
  return place < model_files.size() && place < axes.model.size() ? axes.model[place] : file;
}

engines::ModelOptions RunConfig::model_options(const Setting& setting) const {
  engines::ModelOptions options = target;
  options.model = file_of(setting.model);
  options.name = setting.model;
  if (!setting.activations.empty()) options.activations = setting.activations;
  if (setting.weights.empty()) return options;
  const bool is_streamed = setting.weights == "streamed";
  options.weights = is_streamed ? "streamed" : "resident";
  if (!is_streamed) {
    options.dtype = setting.weights;
    options.resident_bytes = 0;
  }
  return options;
}

void name_models(RunConfig& config) {
  const std::size_t count = config.model_files.size();
  if (!config.model_names.empty() && config.model_names.size() != count)
    throw ConfigError(
        fmt::format("target.name has {} names for {} models; allowed: one for each of "
                    "target.model, in the same order",
                    config.model_names.size(), count));
  config.axes.model.clear();
  std::set<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string given = config.model_names.empty() ? "" : config.model_names[i];
    config.axes.model.push_back(checked_name(config.model_files[i], given));
    if (!names.insert(config.axes.model.back()).second)
      throw ConfigError(
          fmt::format("target.name: two models would be named {}; allowed: one name "
                      "for each in target.name",
                      escaped(config.axes.model.back(), 60)));
  }
  for (auto* selections : {&config.zips, &config.exclusions})
    for (AxisSelection& selection : *selections)
      if (const auto axis = selection.find("model"); axis != selection.end())
        for (std::string& text : axis->second) text = config.name_of(text);
}

RunConfig with_names_for_paths(RunConfig config) {
  config.model_files = config.axes.model;
  config.model_names.clear();
  for (NamedDrafter& drafter : config.drafters)
    if (!drafter.known_as.empty()) drafter.options.model = drafter.known_as;
  return config;
}

}  // namespace speclab::experiments
