#include "experiments/drivers/predict/input_origin.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "analysis/tables/file_digests.h"
#include "analysis/tables/manifest.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// The accelerator beside the processor, and its driver; empty where there was none.
std::string device_of(const analysis::Manifest& manifest) {
  const std::string device = manifest.provenance("device"), driver = manifest.provenance("driver");
  if (device.empty() || device == "cpu" || device == analysis::kNotRecorded) return "";
  const bool has_driver = !driver.empty() && driver != "none" && driver != analysis::kNotRecorded;
  return fmt::format(" with the device {}{}", escaped(device, 100),
                     has_driver ? ", driver " + escaped(driver, 100) : "");
}

/// @param name  of what was measured
std::string origin(const std::string& name, const std::string& folder) {
  const std::string manifest = folder + "/manifest.toml";
  std::error_code none;
  if (std::filesystem::symlink_status(manifest, none).type() ==
      std::filesystem::file_type::not_found)
    return fmt::format("The origin of {} is not recorded.", escaped(name));
  analysis::check_unchanged(folder);
  const analysis::Manifest read = analysis::read_manifest(manifest);
  const std::string others =
      read.sections.empty() ? ""
                            : fmt::format(", in {} sections, of which others may be from elsewhere",
                                          read.sections.size());
  return fmt::format("{} is by revision {} on {}{}{}.", escaped(name),
                     escaped(read.provenance("revision"), 100),
                     escaped(read.provenance("machine"), 100), device_of(read), others);
}

}  // namespace

std::string origin_of_table(const std::string& path) {
  const std::filesystem::path table(path);
  return origin(table.filename().string(),
                table.has_parent_path() ? table.parent_path().string() : ".");
}

std::vector<std::string> input_origins(const PredictOptions& options) {
  std::vector<std::string> origins;
  if (options.trace) origins.push_back(origin_of_table(*options.trace));
  for (const std::optional<std::string>& law : {options.target_law, options.draft_law})
    if (law) origins.push_back(origin_of_table(*law));
  if (options.observed) origins.push_back(origin("acceptance.csv", *options.observed));
  if (options.costs) origins.push_back(origin_of_table(*options.costs));
  return origins;
}

}  // namespace speclab::experiments
