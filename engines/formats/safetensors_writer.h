#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace speclab::engines {

enum class StoredType : std::uint8_t { float32, bfloat16 };

struct TensorToWrite {
  std::string name;
  std::vector<std::int64_t> shape;        ///< row-major, outermost first
  std::span<const float> values;          ///< as many as the shape says
  StoredType type = StoredType::float32;  ///< bfloat16 rounds to the nearest, ties to even
};

/// Writes a safetensors file; `path` is the old file or the whole new one at any moment. The file
/// is made in memory first.
/// @param metadata  for the header's __metadata__
/// @throws WriteError naming path and cause; ContractError if a shape and its values disagree or a
/// name comes twice
void write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata = {});

/// @return the upper half of the nearest bfloat16, ties to even; NaN stays NaN
std::uint16_t float_to_bfloat16(float value);

}  // namespace speclab::engines
