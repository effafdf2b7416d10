#include "engines/training/torch/start_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engines/formats/json_file.h"
#include "engines/formats/recorded_digest.h"
#include "engines/formats/safetensors_file.h"
#include "engines/training/torch/drafter_folder.h"
#include "sim/system/errors.h"
#include "sim/system/sha256.h"

namespace speclab::engines {

std::string config_file(const std::string& folder) { return folder + "/config.json"; }

void check_start_folder(const TrainOptions& options,
                        bool (*is_of_kind)(const std::string& folder)) {
  const std::string& folder = options.distillation.start_from;
  std::error_code none;
  if (!std::filesystem::is_regular_file(config_file(folder), none) || !is_of_kind(folder))
    throw ConfigError(fmt::format(
        "drafter.start_from = '{}'; allowed: a folder that speclab train made of the kind {}",
        escaped(folder), options.drafter));
}

void check_start_shape(const std::string& folder, const StartShape& shape,
                       const std::string& target_sha256) {
  const std::string path = config_file(folder);
  if (shape.target_sha256 != target_sha256)
    throw ConfigError(fmt::format(
        "drafter.start_from: {} was trained for a target of SHA-256 {}; this one has {}", path,
        shape.target_sha256, target_sha256));
  for (const StartShape::Size& size : shape.sizes)
    if (size.wanted != size.found)
      throw ConfigError(
          fmt::format("{} = {}; allowed: {}, as in {}, which drafter.start_from goes on from",
                      size.key, size.wanted, size.found, path));
  SafetensorsFile::open(weights_file(folder));
  check_recorded_digest(folder, std::filesystem::path(weights_file(folder)).filename().string(),
                        sha256_file(weights_file(folder)));
  manifest_of_start(folder);
}

std::string digest_of_start(const std::string& folder) {
  return folder.empty() ? "random"
                        : sha256_file(weights_file(folder)) + sha256_file(config_file(folder));
}

nlohmann::ordered_json manifest_of_start(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  std::error_code none;
  if (std::filesystem::exists(path, none)) return read_json_file(path);
  return {{"sha256", sha256_file(weights_file(folder))}};
}

}  // namespace speclab::engines
