#include "engines/training/torch/drafter_folder.h"

#include <filesystem>

#include "engines/formats/safetensors_writer.h"
#include "sim/core/files.h"

namespace speclab::engines {

std::string checkpoint_file(const std::string& folder) { return folder + "/checkpoint.bin"; }

void write_drafter(const Parameters& parameters, const std::string& curve_csv, const std::string& folder, const std::function<void(const std::string& path)>& write_config) {
  std::error_code none;
  std::filesystem::remove(folder + "/config.json", none);
  std::vector<TensorToWrite> tensors;
  for (const Parameters::Parameter& parameter : parameters.all()) {
    const at::Tensor& value = parameter.value;
    const auto size = static_cast<std::size_t>(value.numel());
    tensors.push_back({parameter.name, value.sizes().vec(), {value.const_data_ptr<float>(), size}, StoredType::bfloat16});
  }
  write_safetensors(folder + "/model.safetensors", tensors, {{"format", "pt"}});
  write_file(folder + "/training.csv", curve_csv);
  write_config(folder + "/config.json");
  std::filesystem::remove(checkpoint_file(folder), none);
}

}  // namespace speclab::engines
