#pragma once
// Named tensors of a model file, whatever the format; quantised data is dequantised on reading.
// Free of torch.

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "engines/formats/dequantise.h"
#include "engines/formats/input_file.h"

namespace speclab::engines {

/// The place of one tensor's data, already checked to be whole blocks inside the file.
struct TensorExtent {
  const BlockFormat* format = nullptr;
  std::uint64_t offset = 0;  ///< from the start of the file
  std::uint64_t bytes = 0;
};

/// The tensor's values in float32. @throws ModelFileError if the file has become shorter
std::vector<float> read_values(const InputFile& file, const TensorExtent& extent);

/// The file of a tensor's bytes, and their place in it.
struct TensorBytes {
  const InputFile* file;
  TensorExtent extent;
};
/// Whether the bytes are the same, read chunk by chunk. @throws ModelFileError likewise
bool have_same_bytes(const TensorBytes& a, const TensorBytes& b);

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

/// The places of the tensors of one model file; the common part of the formats' WeightSources.
class TensorTable {
 public:
  /// @return false if the name is there already
  bool insert(TensorInfo info);
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  bool contains(const std::string& name) const { return index_.count(name) != 0; }
  /// Place of `name` in tensors(). @throws ModelFileError naming `path` and the nearest name
  std::size_t index_of(const std::string& name, const std::string& path) const;

 private:
  std::vector<TensorInfo> tensors_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace speclab::engines
