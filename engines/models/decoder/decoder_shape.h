#pragma once
// Shape and constants of a Llama-family decoder: RMS norms, rotary positions, grouped queries,
// gated SiLU feed-forward.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

struct DecoderShape {
  std::string name;
  std::int32_t vocab_size = 0;
  std::int32_t context_length = 0;
  std::int32_t num_layers = 0;
  std::int32_t hidden_size = 0;
  std::int32_t intermediate_size = 0;  ///< of the feed-forward
  std::int32_t num_heads = 0;
  std::int32_t num_kv_heads = 0;
  std::int32_t head_dim = 0;
  float rope_theta = 10000.0f;
  float rms_epsilon = 1e-5f;
  bool tied_embeddings =
      true;  ///< the head is the embedding table, or its rows of the draft vocabulary
  std::int32_t feature_size = 0;  ///< of a feature transformer: of the vector beside every token,
                                  ///< as many states of hidden_size, fused with its embedding
  std::string config_sha256{};    ///< of the config.json that it was read from; empty: of none
  std::vector<Token>
      draft_vocabulary{};  ///< of a drafter: token of each row of its head, ascending; empty: all

  bool is_feature_transformer() const { return feature_size > 0; }
  std::int32_t num_features() const { return hidden_size > 0 ? feature_size / hidden_size : 0; }
  /// Layers whose residual stream stands behind the last state where hidden states are wanted:
  /// those that end the first and the second third, as in EAGLE-3 (Li et al. 2025, section 3.1);
  /// none of fewer than three layers, or of a feature transformer.
  std::vector<std::int32_t> state_layers() const {
    return num_layers < 3 || is_feature_transformer()
               ? std::vector<std::int32_t>{}
               : std::vector{num_layers / 3 - 1, 2 * num_layers / 3 - 1};
  }
  bool head_is_embedding() const { return tied_embeddings && draft_vocabulary.empty(); }
  std::int32_t num_logits() const {
    return draft_vocabulary.empty() ? vocab_size
                                    : static_cast<std::int32_t>(draft_vocabulary.size());
  }
  std::int32_t query_size() const { return num_heads * head_dim; }
  std::int32_t kv_size() const { return num_kv_heads * head_dim; }
  std::int64_t num_parameters() const;  ///< of its own: the embeddings and the head that a feature
                                        ///< transformer shares with its target are the target's
  std::int64_t parameters_read()
      const;  ///< by a forward: the head's among them, of the embeddings none beside it
  /// @param where  file, for the message
  /// @throws ModelFileError naming the field that no Llama can have
  void validate(const std::string& where) const;
};

class GgufFile;

/// @throws ModelFileError if the file's architecture is not "llama", a field is missing or
/// impossible, or it is a
///         variant that llama_variants.h refuses
DecoderShape llama_config_from_gguf(const GgufFile& file);
/// Reads config.json of a checkpoint folder in Hugging Face's layout.
DecoderShape llama_config_from_json(const std::string& path);
/// Writes it, so that transformers loads the folder as LlamaForCausalLM.
void write_llama_config_json(const DecoderShape& config, const std::string& path,
                             const std::string& dtype);

}  // namespace speclab::engines
