#include "experiments/drivers/plan/model_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <set>

#include "sim/core/errors.h"

namespace speclab::experiments {

void check_model_names(const Plan& plan, std::span<const engines::KnownModel> known) {
  std::set<std::string> missing;
  const auto check = [&](const std::string& key, const std::string& model) {
    std::error_code none;
    if (model.empty() || std::ranges::find(known, model, &engines::KnownModel::name) != known.end() || std::filesystem::exists(model, none)) return;
    missing.insert(fmt::format("{} = '{}'", key, escaped(model)));
  };
  for (const std::string& model : plan.config.models) check("target.model", model);
  for (const NamedDrafter& drafter : plan.config.drafters) check("drafters." + drafter.name + ".model", drafter.options.model);
  if (missing.empty()) return;
  throw ConfigError(fmt::format("{}: neither a known model nor a file or folder; allowed: {}, a GGUF file, a checkpoint folder", fmt::join(missing, ", "),
                                fmt::join(known | std::views::transform(&engines::KnownModel::name), ", ")));
}

}  // namespace speclab::experiments
