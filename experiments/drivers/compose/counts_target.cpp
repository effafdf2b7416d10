#include "experiments/drivers/compose/counts_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiments/drivers/compose/place_counts.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kLongestName = 60;
/// Run that the table of drafters without a model was counted in, beside that table.
constexpr const char* kCountedIn = "/drafter_acceptance/manifest.toml";

/// @throws DataError for a text that is no JSON object
CountedTarget target_of_training(const std::string& manifest) try {
  const nlohmann::json read = nlohmann::json::parse(read_file(manifest));
  return {.name = read.value("target", ""), .sha256 = read.value("target_sha256", "")};
} catch (const nlohmann::json::exception& error) {
  throw DataError(fmt::format("{}: {}", escaped(manifest), error.what()));
}

}  // namespace

std::optional<CountedTarget> target_of_counts(const std::string& counts) {
  const std::filesystem::path parent = std::filesystem::path(counts).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (const std::string manifest = folder + "/manifest.json"; is_file(manifest))
    return target_of_training(manifest);
  if (!is_file(folder + kCountedIn)) return std::nullopt;
  const analysis::Manifest run = analysis::read_manifest(folder + kCountedIn);
  const auto target =
      std::ranges::find(run.models, analysis::ModelRole::target, &analysis::ModelProvenance::role);
  if (target == run.models.end()) return std::nullopt;
  return CountedTarget{.name = target->name, .sha256 = target->sha256};
}

std::string note_on_targets(const std::optional<CountedTarget>& counted,
                            const std::optional<analysis::Manifest>& manifest,
                            const std::string& model) {
  if (!counted) return "The manifest.json that names the target of the counts is not there.";
  std::string sha256;
  if (manifest)
    for (const analysis::ModelProvenance& of_run : manifest->models)
      if (of_run.role == analysis::ModelRole::target && of_run.name == model)
        sha256 = of_run.sha256;
  const bool is_told = !sha256.empty() && !counted->sha256.empty();
  if (is_told ? sha256 == counted->sha256 : model == counted->name) return "";
  return fmt::format(
      "The target {} kept the counted drafts, and the costs are of {}: other targets keep other "
      "shares.",
      escaped(counted->name, kLongestName), escaped(model, kLongestName));
}

}  // namespace speclab::experiments
