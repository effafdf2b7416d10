#include "engines/formats/safetensors_file.h"

#include <utility>

#include "sim/system/errors.h"

namespace speclab::engines {

SafetensorsFile SafetensorsFile::open(std::string path) {
  InputFile file(std::move(path));
  SafetensorsHeader header = read_safetensors_header(file);
  return {std::move(file), std::move(header)};
}

const TensorInfo& SafetensorsFile::tensor(const std::string& name) const {
  return tensors()[header_.table.index_of(name, path())];
}

std::vector<float> SafetensorsFile::read_float32(const std::string& name) const {
  const std::size_t index = header_.table.index_of(name, path());
  const TensorExtent& extent = header_.extents[index];
  if (!extent.format) {
    file_.fail(extent.offset,
               {"tensor '" + escaped(name, 64) + "'", "type " + tensors()[index].dtype,
                "F32 F16 BF16", "convert the model to one of these"});
  }
  return read_values(file_, extent);
}

}  // namespace speclab::engines
