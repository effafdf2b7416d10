#include "engines/formats/safetensors_writer.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kAlignment = 8;

std::size_t bytes_of(const TensorToWrite& tensor) {
  return tensor.values.size() * (tensor.type == StoredType::float32 ? 4 : 2);
}

/// Wider elements first, so that every tensor is aligned to its own type.
std::vector<const TensorToWrite*> ordered(std::span<const TensorToWrite> tensors) {
  std::vector<const TensorToWrite*> order;
  for (const TensorToWrite& tensor : tensors) order.push_back(&tensor);
  std::stable_partition(order.begin(), order.end(), [](const TensorToWrite* tensor) {
    return tensor->type == StoredType::float32;
  });
  return order;
}

std::string header_text(const std::vector<const TensorToWrite*>& order,
                        const std::map<std::string, std::string>& metadata) {
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t begin = 0;
  for (const TensorToWrite* tensor : order) {
    std::int64_t elements = 1;
    for (const std::int64_t size : tensor->shape) elements *= size;
    SPECLAB_EXPECT(elements == static_cast<std::int64_t>(tensor->values.size()),
                   "shape and values agree: " + tensor->name);
    SPECLAB_EXPECT(!header.contains(tensor->name), "each name once: " + tensor->name);
    const std::size_t end = begin + bytes_of(*tensor);
    header[tensor->name] = {{"dtype", tensor->type == StoredType::float32 ? "F32" : "BF16"},
                            {"shape", tensor->shape},
                            {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

template <typename T>
void append_bytes(std::string& file, std::span<const T> values) {
  file.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

void append_values(std::string& file, const TensorToWrite& tensor) {
  if (tensor.type == StoredType::float32) return append_bytes(file, tensor.values);
  std::vector<std::uint16_t> halves(tensor.values.size());
  std::transform(tensor.values.begin(), tensor.values.end(), halves.begin(), float_to_bfloat16);
  append_bytes(file, std::span<const std::uint16_t>(halves));
}

}  // namespace

void write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const auto order = ordered(tensors);
  const std::string header = header_text(order, metadata);
  const std::uint64_t length = header.size();
  std::string file;
  append_bytes(file, std::span(&length, 1));
  file += header;
  for (const TensorToWrite* tensor : order) append_values(file, *tensor);
  write_file(path, file);
}

std::uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

}  // namespace speclab::engines
