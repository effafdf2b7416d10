#pragma once
#include "engines/models/decoder_shape.h"

namespace speclab::engines::testing {

/// A model in which what a cache holds is nearly all that counts.
inline DecoderShape cache_test_config(std::int32_t layers, std::int32_t context) {
  DecoderShape config;
  config.name = "small";
  config.vocab_size = 61;
  config.context_length = context;
  config.num_layers = layers;
  config.hidden_size = 32;
  config.intermediate_size = 64;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 32;
  return config;
}

}  // namespace speclab::engines::testing
