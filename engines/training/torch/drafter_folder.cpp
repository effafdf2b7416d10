#include "engines/training/torch/drafter_folder.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engines/formats/safetensors_file.h"
#include "engines/formats/safetensors_writer.h"
#include "engines/training/manifest.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::engines {

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

}  // namespace speclab::engines
