#pragma once
#include <map>
#include <string>
#include <vector>

#include "engines/formats/input_file.h"
#include "engines/formats/weight_source.h"

namespace speclab::engines {

/// Reads and checks the header of a safetensors file.
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

/// A safetensors file. Tensors of F32, F16 and BF16 can be read; others may be there.
class SafetensorsFile : public WeightSource {
 public:
  /// Reads and checks the header; tensor data is only read when asked for.
  /// @throws ModelFileError
  static SafetensorsFile open(std::string path);

  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  const std::vector<TensorInfo>& tensors() const override { return header_.table.tensors(); }
  bool contains(const std::string& name) const override { return header_.table.contains(name); }
  const TensorInfo& tensor(const std::string& name) const override;
  /// @throws ModelFileError also if the tensor's type is not F32, F16 or BF16
  std::vector<float> read_float32(const std::string& name) const override;
  TensorBytes stored_bytes(const std::string& name) const override {
    return {&file_, header_.extents[header_.table.index_of(name, path())]};
  }
  const std::string& path() const override { return file_.path(); }

 private:
  SafetensorsFile(InputFile file, SafetensorsHeader header)
      : file_(std::move(file)), header_(std::move(header)) {}

  InputFile file_;
  SafetensorsHeader header_;
};

}  // namespace speclab::engines
