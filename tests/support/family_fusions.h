#pragma once
// Tensors of a checkpoint put together or taken apart, as other tools save the same weights.

#include <cstdint>
#include <string>
#include <vector>

namespace speclab::testing {

/// A tensor as it lies in a file.
struct StoredTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// Queries, keys and values in one tensor, gates and ups in one, and the experts of a layer in one.
std::vector<StoredTensor> fused(const std::vector<StoredTensor>& tensors);
/// The other way round; experts stay as they are.
/// @param query_rows, key_rows  of the parts of a fused projection
std::vector<StoredTensor> separated(const std::vector<StoredTensor>& tensors,
                                    std::int64_t query_rows, std::int64_t key_rows);

}  // namespace speclab::testing
