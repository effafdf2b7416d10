#include "engines/formats/weight_source.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/system/edit_distance.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::uint64_t kChunkBlocks = 1 << 13;  // read and converted while still in the cache

void read_part(const TensorBytes& tensor, std::uint64_t done, std::span<std::byte> into) {
  const TensorExtent& extent = tensor.extent;
  tensor.file->read(extent.offset + done, into);
}

std::string nearest_name(const std::vector<TensorInfo>& tensors, const std::string& name) {
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  const TensorInfo* best = nullptr;
  for (const TensorInfo& tensor : tensors) {
    const std::size_t distance = edit_distance(name, tensor.name);
    if (distance < best_distance) best_distance = distance, best = &tensor;
  }
  return best ? "nearest is '" + escaped(best->name, 64) + "'" : "the file has no tensors";
}

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
  constexpr std::uint64_t chunk_bytes = 1 << 20;
  if (a.extent.bytes != b.extent.bytes) return false;
  std::vector<std::byte> of_a(std::min(chunk_bytes, a.extent.bytes)), of_b(of_a.size());
  for (std::uint64_t done = 0; done < a.extent.bytes; done += chunk_bytes) {
    const std::uint64_t count = std::min(chunk_bytes, a.extent.bytes - done);
    const auto part_a = std::span(of_a).first(count), part_b = std::span(of_b).first(count);
    read_part(a, done, part_a);
    read_part(b, done, part_b);
    if (!std::ranges::equal(part_a, part_b)) return false;
  }
  return true;
}

std::vector<std::byte> WeightSource::read_stored(const std::string& name) const {
  throw ContractError("no blocks of '" + name + "' in this kind of file");
}

TensorBytes WeightSource::stored_bytes(const std::string&) const { return {nullptr, {}}; }

bool TensorTable::insert(TensorInfo info) {
  if (!index_.emplace(info.name, tensors_.size()).second) return false;
  tensors_.push_back(std::move(info));
  return true;
}

std::size_t TensorTable::index_of(const std::string& name, const std::string& path) const {
  const auto found = index_.find(name);
  if (found != index_.end()) return found->second;
  throw_model_file_error(
      path, 0,
      {"tensor '" + escaped(name, 64) + "'", "missing", "present", nearest_name(tensors_, name)});
}

}  // namespace speclab::engines
