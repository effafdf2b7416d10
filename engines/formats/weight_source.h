#pragma once
// Named tensors of a model file, whatever the format; quantised data is dequantised on reading.
// Free of torch.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engines/formats/tensor_extent.h"

namespace speclab::engines {

struct TensorInfo {
  std::string name;
  std::string dtype;  ///< as the format names it: "F32", "BF16", "Q4_1", ...
  std::vector<std::int64_t>
      shape;  ///< row-major, outermost first: a linear layer is [out_features, in_features]
  std::int64_t num_elements = 0;
};

class WeightSource {
 public:
  virtual ~WeightSource() = default;
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  virtual bool contains(const std::string& name) const = 0;
  /// @throws ModelFileError if there is no such tensor, naming the file and the nearest name
  virtual const TensorInfo& tensor(const std::string& name) const = 0;
  /// The values in float32, row-major, num_elements of them.
  virtual std::vector<float> read_float32(const std::string& name) const = 0;
  /// The values as they are stored: blocks of the tensor's dtype, row-major.
  virtual std::vector<std::byte> read_stored(const std::string& name) const;
  /// The place of those values in a file; TensorBytes::file is null if they have none.
  virtual TensorBytes stored_bytes(const std::string& name) const;
  /// Whether two tensors of the same shape hold the same values.
  virtual bool have_same_values(const std::string& a, const std::string& b) const {
    return read_float32(a) == read_float32(b);
  }
  virtual const std::string& path() const = 0;
  /// The files that hold the values, in a fixed order.
  virtual std::vector<std::string> weight_paths() const { return {path()}; }
};

}  // namespace speclab::engines
