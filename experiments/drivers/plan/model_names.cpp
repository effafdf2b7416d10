#include "experiments/drivers/plan/model_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <set>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

bool is_file_or_folder(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none) || std::filesystem::is_directory(path, none);
}

}  // namespace

void check_model_names(const Plan& plan, std::span<const engines::KnownModel> known) {
  std::set<std::string> missing;
  const auto check = [&](const std::string& key, const std::string& model) {
    if (model.empty() ||
        std::ranges::find(known, model, &engines::KnownModel::name) != known.end() ||
        is_file_or_folder(model))
      return;
    missing.insert(fmt::format("{} = '{}'", key, escaped(model)));
  };
  for (const std::string& model : plan.config.axes.model)
    check("target.model", plan.config.file_of(model));
  for (const NamedDrafter& drafter : plan.config.drafters)
    check("drafters." + drafter.name + ".model", drafter.options.model);
  if (missing.empty()) return;
  throw ConfigError(fmt::format(
      "{}: neither a known model nor a file or folder, and models are not fetched; allowed: {}, a "
      "GGUF file, a checkpoint folder; a path in a config is relative to the config, one in --set "
      "to where you stand",
      fmt::join(missing, ", "),
      fmt::join(known | std::views::transform(&engines::KnownModel::name), ", ")));
}

}  // namespace speclab::experiments
