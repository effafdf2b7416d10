#pragma once
#include "engines/formats/safetensors_header.h"

namespace speclab::engines {

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
