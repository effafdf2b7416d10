#pragma once
// The tensors of a Llama-family model by role, in float32 and in one convention, whatever file they
// come from.

#include <memory>
#include <span>
#include <vector>

#include "engines/formats/weight_source.h"
#include "engines/models/decoder/decoder_shape.h"

namespace speclab::engines {

enum class TensorRole {
  embedding,    ///< [vocab, hidden]
  output_norm,  ///< [hidden]
  head,  ///< [num_logits, hidden]; where tied the embedding, or its rows of the draft vocabulary
  attention_norm,  ///< per layer, [hidden]
  query,  ///< [num_heads * head_dim, hidden]; rotary pairs are (i, i + head_dim / 2) of a head
  key,    ///< [num_kv_heads * head_dim, hidden]; pairs likewise
  value,  ///< [num_kv_heads * head_dim, hidden]
  attention_output,   ///< [hidden, num_heads * head_dim]
  feed_forward_norm,  ///< [hidden]
  gate,               ///< [intermediate, hidden]
  up,                 ///< [intermediate, hidden]
  down,               ///< [hidden, intermediate]
  embedding_norm,  ///< feature transformers: [hidden], of the token's embedding before the fusion
  feature_norm,    ///< feature transformers: [feature], of the feature
  fusion,  ///< feature transformers: [hidden, hidden + feature], of both, one behind the other
};

/// The shape that the role must have under `config`, outermost first.
std::vector<std::int64_t> shape_of(TensorRole role, const DecoderShape& config);
/// The product of it.
std::int64_t num_elements(TensorRole role, const DecoderShape& config);

/// The rows of these tokens, one behind the other. @param table  [vocab, width]
std::vector<float> rows_of(std::span<const Token> tokens, std::span<const float> table,
                           std::int32_t width);

class DecoderWeights {
 public:
  virtual ~DecoderWeights() = default;
  /// @param layer  ignored for embedding, output_norm and head
  virtual std::vector<float> read(TensorRole role, std::int32_t layer) const = 0;
  /// SHA-256 of the bytes the weights come from, hexadecimal; of a shape model the words that make
  /// it again.
  virtual std::string sha256() const = 0;
  /// Whether they were made up for a shape model.
  virtual bool are_random() const { return false; }
};

/// GGUF's names; its query and key rows come in adjacent rotary pairs and are brought into halves.
std::unique_ptr<DecoderWeights> llama_weights_from_gguf(std::shared_ptr<const WeightSource> file,
                                                        const DecoderShape& config);
/// Hugging Face's names.
std::unique_ptr<DecoderWeights> llama_weights_from_checkpoint(
    std::shared_ptr<const WeightSource> folder, const DecoderShape& config);
/// Normal with standard deviation 0.02, norms 1: a shape model.
std::unique_ptr<DecoderWeights> random_llama_weights(const DecoderShape& config,
                                                     std::uint64_t seed);

}  // namespace speclab::engines
