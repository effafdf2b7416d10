#include "engines/training/drafter_folder.h"

#include "engines/formats/safetensors_writer.h"
#include "sim/core/files.h"

namespace speclab::engines {

void write_drafter_weights(const Parameters& parameters, const std::string& curve_csv, const std::string& folder) {
  std::vector<TensorToWrite> tensors;
  for (const Parameters::Parameter& parameter : parameters.all()) {
    const at::Tensor& value = parameter.value;
    const auto size = static_cast<std::size_t>(value.numel());
    tensors.push_back({parameter.name, value.sizes().vec(), {value.const_data_ptr<float>(), size}, StoredType::bfloat16});
  }
  write_safetensors(folder + "/model.safetensors", tensors, {{"format", "pt"}});
  write_file(folder + "/training.csv", curve_csv);
}

}  // namespace speclab::engines
