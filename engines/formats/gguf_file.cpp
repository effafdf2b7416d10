#include "engines/formats/gguf_file.h"

#include <algorithm>
#include <utility>

namespace speclab::engines {
namespace {

constexpr std::uint64_t kChunkBlocks = 1 << 13;  // read and converted while still in the cache

}  // namespace

GgufFile GgufFile::open(std::string path) {
  InputFile file(std::move(path));
  GgufHeader header = read_gguf_header(file);
  return {std::move(file), std::move(header)};
}

const TensorInfo& GgufFile::tensor(const std::string& name) const { return tensors()[header_.table.index_of(name, path())]; }

std::vector<float> GgufFile::read_float32(const std::string& name) const {
  const std::size_t index = header_.table.index_of(name, path());
  const GgufExtent& extent = header_.extents[index];
  const BlockFormat& format = *extent.format;
  std::vector<float> values(static_cast<std::size_t>(tensors()[index].num_elements));
  const std::uint64_t chunk_bytes = kChunkBlocks * format.block_bytes;
  std::vector<std::byte> chunk(std::min(chunk_bytes, extent.bytes));
  float* next = values.data();
  for (std::uint64_t done = 0; done < extent.bytes; done += chunk_bytes) {
    const auto blocks = std::span(chunk).first(std::min(chunk_bytes, extent.bytes - done));
    file_.read(extent.offset + done, blocks);
    format.dequantise(blocks, next);
    next += blocks.size() / format.block_bytes * format.block_elements;
  }
  return values;
}

}  // namespace speclab::engines
