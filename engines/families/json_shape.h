#pragma once
// config.json as the families read it: the fields that most of them share, in Hugging Face's names,
// old and new spellings.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engines/families/json_rotary.h"
#include "engines/formats/json_file.h"
#include "engines/models/decoder_shape.h"

namespace speclab::engines {

class JsonShape {
 public:
  explicit JsonShape(JsonNode config) : config_(std::move(config)) {}

  const JsonNode& config() const { return config_; }

  std::int32_t positive(const char* key, std::int64_t most) const;
  /// `otherwise` where the key is missing or null.
  std::int32_t positive_or(const char* key, std::int64_t most, std::int32_t otherwise) const;
  float number_or(const char* key, float otherwise) const {
    return static_cast<float>(config_.number_or(key, static_cast<double>(otherwise)));
  }
  bool flag_or(const char* key, bool otherwise) const { return config_.flag_or(key, otherwise); }
  /// Positions of a window; 0, none, where the key is null. @param otherwise  where it is missing
  std::int32_t window(const char* key, std::int32_t otherwise) const;
  /// 0, none, where the key is null. @param otherwise  where it is missing
  float soft_cap(const char* key, float otherwise) const;
  /// @throws ModelFileError unless the flag is missing or has this value
  void require_flag(const char* key, bool only) const;
  Activation activation(const char* key, Activation otherwise) const;

  /// Vocabulary, context, layers, widths and heads by the names that Llama has.
  DecoderShape sizes() const;
  /// Base, scaling and rotating part from rope_theta, rope_scaling and rope_parameters.
  void read_rotary(DecoderShape& shape, const RotaryRule& rule) const {
    read_json_rotary(config_, rule, shape);
  }
  void read_tie(DecoderShape& shape, bool otherwise) const {
    shape.tied_embeddings = flag_or("tie_word_embeddings", otherwise);
  }
  /// Windows by layer_types, or by `has_window` of the layer's number where the file lists none.
  /// Only for families whose layers differ: Qwen 2 and 3, Gemma 2 and 3.
  template <typename HasWindow>
  void read_windows(DecoderShape& shape, std::int32_t window, const HasWindow& has_window) const {
    const std::vector<bool> layers = window > 0 ? listed_windows(shape) : std::vector<bool>{};
    for (std::int32_t layer = 0; window > 0 && layer < shape.num_layers; ++layer) {
      const auto index = static_cast<std::size_t>(layer);
      shape.windows.push_back((layers.empty() ? has_window(layer) : layers[index]) ? window : 0);
    }
  }
  /// Gives every layer the same window; 0 is none.
  void read_window(DecoderShape& shape, std::int32_t window) const {
    if (window > 0) shape.windows.assign(static_cast<std::size_t>(shape.num_layers), window);
  }
  /// Tells by layer_types whether a layer has a window; empty if the file has no layer_types.
  std::vector<bool> listed_windows(const DecoderShape& shape) const;

 private:
  JsonNode config_;
};

/// Refuses files of models that complete no text from left to right.
/// @throws ModelFileError naming architectures, is_encoder_decoder or is_causal
void refuse_other_tasks(const JsonShape& config);
/// Refuses a second spelling of a size, or layer_types, that says something else than the shape.
/// @throws ModelFileError naming the field
void refuse_contradictions(const JsonShape& config, const DecoderShape& shape);

// The part of config.json that the folders of all Llama-shaped models share.

class JsonNode;

/// Sizes and constants, not yet validated. @throws ModelFileError naming the field
DecoderShape read_llama_shape(const JsonNode& object);
/// Writes the same fields as an object.
nlohmann::ordered_json llama_shape_json(const DecoderShape& config);

/// Writes config.json, so that transformers loads the folder as LlamaForCausalLM.
void write_llama_config_json(const DecoderShape& shape, const std::string& path,
                             const std::string& dtype);

}  // namespace speclab::engines
