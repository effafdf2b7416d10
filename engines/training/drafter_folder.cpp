#include "engines/training/drafter_folder.h"

#include "engines/formats/safetensors_writer.h"
#include "sim/core/files.h"

namespace speclab::engines {

void write_drafter_folder(const SmallTransformerModel& model, const std::string& curve_csv, const std::string& folder) {
  make_folder(folder);
  std::vector<TensorToWrite> tensors;
  for (const auto& parameter : model.parameters()) {
    const at::Tensor& value = parameter.value;
    const auto size = static_cast<std::size_t>(value.numel());
    tensors.push_back({parameter.name, value.sizes().vec(), {value.const_data_ptr<float>(), size}, StoredType::bfloat16});
  }
  write_safetensors(folder + "/model.safetensors", tensors, {{"format", "pt"}});
  write_llama_config_json(model.config(), folder + "/config.json", "bfloat16");
  write_file(folder + "/training.csv", curve_csv);
}

}  // namespace speclab::engines
