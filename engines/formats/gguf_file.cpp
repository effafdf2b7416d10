#include "engines/formats/gguf_file.h"

#include <utility>

#include "sim/system/errors.h"

namespace speclab::engines {

GgufFile GgufFile::open(const std::string& path) { return GgufFile(open_gguf_parts(path)); }

GgufFile::GgufFile(std::vector<GgufPart> parts) : parts_(std::move(parts)) {
  for (std::size_t part = 0; part < parts_.size(); ++part) add_tensors(part);
}

void GgufFile::add_tensors(std::size_t part) {
  const GgufPart& each = parts_[part];
  const std::vector<TensorInfo>& tensors = each.header.table.tensors();
  for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    if (!table_.insert(tensors[tensor]))
      each.file.fail(0, {"tensor '" + escaped(tensors[tensor].name, 63) + "'",
                         "in another part too", "each name once"});
    places_.push_back({part, tensor});
  }
}

const TensorInfo& GgufFile::tensor(const std::string& name) const {
  return tensors()[table_.index_of(name, path())];
}

TensorBytes GgufFile::stored_bytes(const std::string& name) const {
  const Place place = places_[table_.index_of(name, path())];
  const GgufPart& part = parts_[place.part];
  return {&part.file, part.header.extents[place.tensor]};
}

std::vector<float> GgufFile::read_float32(const std::string& name) const {
  const TensorBytes bytes = stored_bytes(name);
  return read_values(*bytes.file, bytes.extent);
}

std::vector<std::byte> GgufFile::read_stored(const std::string& name) const {
  const TensorBytes bytes = stored_bytes(name);
  std::vector<std::byte> stored(bytes.extent.bytes);
  bytes.file->read(bytes.extent.offset, stored);
  return stored;
}

std::vector<std::string> GgufFile::weight_paths() const {
  std::vector<std::string> paths;
  for (const GgufPart& part : parts_) paths.push_back(part.file.path());
  return paths;
}

}  // namespace speclab::engines
