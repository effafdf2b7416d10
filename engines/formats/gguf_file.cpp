#include "engines/formats/gguf_file.h"

#include <utility>

namespace speclab::engines {

GgufFile GgufFile::open(std::string path) {
  InputFile file(std::move(path));
  GgufHeader header = read_gguf_header(file);
  return {std::move(file), std::move(header)};
}

const TensorInfo& GgufFile::tensor(const std::string& name) const {
  return tensors()[header_.table.index_of(name, path())];
}

std::vector<float> GgufFile::read_float32(const std::string& name) const {
  const std::size_t index = header_.table.index_of(name, path());
  return read_values(file_, header_.extents[index]);
}

}  // namespace speclab::engines
