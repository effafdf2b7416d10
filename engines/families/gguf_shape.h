#pragma once
// The metadata of a GGUF file as the families read it: keys of one architecture.

#include <vector>

#include "engines/families/gguf_keys.h"
#include "engines/models/decoder_shape.h"

namespace speclab::engines {

class GgufShape : public GgufKeys {
 public:
  using GgufKeys::GgufKeys;

  /// Sizes, heads, epsilon, rotary base and scaling, biases and head norms that the file has, tied
  /// or own head.
  DecoderShape common(NormKind norm = NormKind::rms) const;
  /// Windows of `attention.sliding_window` in every layer; none where it is missing or 0.
  void read_windows(DecoderShape& shape) const;
  /// Windows in all layers but every n-th, or in those that a list in the file names.
  /// @param window, pattern  where the file says nothing: positions, and n
  void read_windows(DecoderShape& shape, std::int32_t window, std::int32_t pattern) const;
  /// Experts, where the file has some.
  void read_experts(DecoderShape& shape) const;

 private:
  void read_sizes(DecoderShape& shape) const;
  void read_epsilon(DecoderShape& shape, NormKind norm) const;
  std::vector<bool> window_layers(const DecoderShape& shape, std::int32_t pattern) const;
  bool has_tensor(const char* name) const { return file().contains(name); }
};

}  // namespace speclab::engines
