#include "engines/formats/tensor_extent.h"

#include <algorithm>

namespace speclab::engines {
namespace {

constexpr std::uint64_t kChunkBlocks = 1 << 13;  // read and converted while still in the cache

}  // namespace

std::vector<float> read_values(const InputFile& file, const TensorExtent& extent) {
  const BlockFormat& format = *extent.format;
  const std::uint64_t chunk_bytes = kChunkBlocks * format.block_bytes;
  std::vector<float> values(
      static_cast<std::size_t>(extent.bytes / format.block_bytes * format.block_elements));
  std::vector<std::byte> chunk(std::min(chunk_bytes, extent.bytes));
  float* next = values.data();
  for (std::uint64_t done = 0; done < extent.bytes; done += chunk_bytes) {
    const auto blocks = std::span(chunk).first(std::min(chunk_bytes, extent.bytes - done));
    file.read(extent.offset + done, blocks);
    format.dequantise(blocks, next);
    next += blocks.size() / format.block_bytes * format.block_elements;
  }
  return values;
}

}  // namespace speclab::engines
