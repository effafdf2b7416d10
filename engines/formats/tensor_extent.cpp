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

bool have_same_bytes(const TensorBytes& a, const TensorBytes& b) {
  constexpr std::uint64_t kChunkBytes = 1 << 20;
  if (a.extent.bytes != b.extent.bytes) return false;
  std::vector<std::byte> of_a(std::min(kChunkBytes, a.extent.bytes)), of_b(of_a.size());
  for (std::uint64_t done = 0; done < a.extent.bytes; done += kChunkBytes) {
    const std::uint64_t count = std::min(kChunkBytes, a.extent.bytes - done);
    a.file->read(a.extent.offset + done, std::span(of_a).first(count));
    b.file->read(b.extent.offset + done, std::span(of_b).first(count));
    if (!std::ranges::equal(std::span(of_a).first(count), std::span(of_b).first(count)))
      return false;
  }
  return true;
}

}  // namespace speclab::engines
