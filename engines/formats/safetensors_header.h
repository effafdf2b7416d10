#pragma once
// Reads and checks the header of a safetensors file.

#include <map>
#include <string>
#include <vector>

#include "engines/formats/input_file.h"
#include "engines/formats/tensor_extent.h"
#include "engines/formats/tensor_table.h"

namespace speclab::engines {

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;  ///< of __metadata__
  TensorTable table;                            ///< in the order of the data
  std::vector<TensorExtent>
      extents;  ///< format is null for types that are not read as numbers here
};

inline constexpr std::size_t kMaxSafetensorsTensors = 1'000'000;

/// The data must follow the header without a hole or an overlap and end with the file.
/// @throws ModelFileError at the first thing that is not allowed
SafetensorsHeader read_safetensors_header(const InputFile& file,
                                          std::size_t max_tensors = kMaxSafetensorsTensors);

}  // namespace speclab::engines
