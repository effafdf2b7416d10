#include "engines/training/torch/drafter_folder.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engines/formats/checkpoint_folder.h"
#include "engines/formats/json_file.h"
#include "engines/formats/safetensors_file.h"
#include "engines/formats/safetensors_writer.h"
#include "engines/training/manifest.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::engines {
namespace {

/// The folder and those of its parents that are not there.
std::vector<std::filesystem::path> missing_folders(const std::string& folder) {
  std::vector<std::filesystem::path> missing;
  std::error_code none;
  std::filesystem::path path = std::filesystem::absolute(folder, none);
  for (; path.has_relative_path() && !std::filesystem::exists(path, none);
       path = path.parent_path())
    missing.push_back(path);
  return missing;
}

PathLock made_and_locked(const std::string& folder) {
  make_folder(folder);
  return PathLock(folder);
}

}  // namespace

OutputFolder::OutputFolder(const std::string& path)
    : made_(missing_folders(path)), lock_(made_and_locked(path)) {}

OutputFolder::~OutputFolder() {
  std::error_code none;  // a folder with something in it stays
  for (const std::filesystem::path& path : made_) std::filesystem::remove(path, none);
}

std::string weights_file(const std::string& folder) { return folder + "/model.safetensors"; }

std::string checkpoint_file(const std::string& folder) { return folder + "/checkpoint.bin"; }

void write_drafter(const Parameters& parameters, const DrafterNotes& notes,
                   const std::string& folder,
                   const std::function<void(const std::string& path)>& write_config) {
  std::error_code none;
  std::filesystem::remove(folder + "/config.json", none);
  std::vector<TensorToWrite> tensors;
  std::vector<at::Tensor> values;  // on the processor
  for (const Parameters::Parameter& parameter : parameters.all()) {
    const at::Tensor& value = values.emplace_back(parameter.value.cpu());
    const auto size = static_cast<std::size_t>(value.numel());
    tensors.push_back({parameter.name,
                       value.sizes().vec(),
                       {value.const_data_ptr<float>(), size},
                       StoredType::bfloat16});
  }
  write_safetensors(weights_file(folder), tensors, {{"format", "pt"}});
  write_file(folder + "/training.csv", notes.curve_csv);
  nlohmann::ordered_json manifest = notes.manifest;
  manifest["sha256"] = sha256_file(weights_file(folder));
  write_file(folder + "/manifest.json", text_of(manifest) + "\n");
  write_config(folder + "/config.json");
  std::filesystem::remove(checkpoint_file(folder), none);
}

void read_parameters(const std::string& folder, Parameters& parameters) {
  const at::NoGradGuard guard;
  const SafetensorsFile file = SafetensorsFile::open(weights_file(folder));
  for (Parameters::Parameter& parameter : parameters.all()) {
    if (file.tensor(parameter.name).shape != parameter.value.sizes().vec())
      throw ModelFileError(fmt::format("{}: '{}' has another shape than config.json says",
                                       file.path(), parameter.name));
    std::vector<float> values = file.read_float32(parameter.name);
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
      throw ModelFileError(fmt::format(
          "{}: '{}' has values that are not finite; the file is damaged, or its training diverged",
          file.path(), parameter.name));
    parameter.value.copy_(at::from_blob(values.data(), parameter.value.sizes(), at::kFloat));
  }
}

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
