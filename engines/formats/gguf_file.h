#pragma once
#include "engines/formats/gguf_header.h"

namespace speclab::engines {

/// A GGUF v3 model file. Tensors come in float32, bit-equal to the Python package `gguf`.
class GgufFile : public WeightSource {
 public:
  /// Reads and checks the header; tensor data is only read when asked for.
  /// @throws ModelFileError
  static GgufFile open(std::string path);

  const GgufMetadata& metadata() const { return header_.metadata; }
  const std::vector<TensorInfo>& tensors() const override { return header_.table.tensors(); }
  bool contains(const std::string& name) const override { return header_.table.contains(name); }
  const TensorInfo& tensor(const std::string& name) const override;
  std::vector<float> read_float32(const std::string& name) const override;
  const std::string& path() const override { return file_.path(); }

 private:
  GgufFile(InputFile file, GgufHeader header)
      : file_(std::move(file)), header_(std::move(header)) {}

  InputFile file_;
  GgufHeader header_;
};

}  // namespace speclab::engines
