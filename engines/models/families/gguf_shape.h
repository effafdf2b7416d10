#pragma once
// The metadata of a GGUF file as the families read it: keys of one architecture, "llama." and the
// like.

#include <optional>
#include <string>
#include <vector>

#include "engines/formats/gguf_file.h"
#include "engines/models/decoder/decoder_shape.h"

namespace speclab::engines {

class GgufShape {
 public:
  GgufShape(const GgufFile& file, std::string architecture)
      : file_(file), prefix_(std::move(architecture) + ".") {}

  const GgufFile& file() const { return file_; }
  /// @param key  behind the architecture
  std::int32_t integer(const std::string& key, std::int64_t least, std::int64_t most) const;
  std::int32_t integer_or(const std::string& key, std::int64_t least, std::int64_t most,
                          std::int32_t otherwise) const;
  float number_or(const std::string& key, float otherwise) const;
  bool flag_or(const std::string& key, bool otherwise) const;

  /// Sizes, heads, epsilon, rotary base and scaling, biases and head norms that the file has, tied
  /// or own head.
  DecoderShape common() const;
  /// Windows of `attention.sliding_window` where `has_window` of the layer's number says so.
  template <typename HasWindow>
  void read_windows(DecoderShape& shape, const HasWindow& has_window) const {
    const std::int32_t window = integer_or("attention.sliding_window", 0, 1 << 24, 0);
    for (std::int32_t layer = 0; window > 0 && layer < shape.num_layers; ++layer)
      shape.windows.push_back(has_window(layer) ? window : 0);
  }
  /// Experts, where the file has some.
  void read_experts(DecoderShape& shape) const;

 private:
  void read_sizes(DecoderShape& shape) const;
  void read_rotary(DecoderShape& shape) const;
  void read_divisors(DecoderShape& shape) const;
  std::vector<float> divisors_of(const char* name, const DecoderShape& shape) const;
  bool has(const char* tensor) const { return file_.contains(tensor); }

  const GgufFile& file_;
  std::string prefix_;
};

}  // namespace speclab::engines
