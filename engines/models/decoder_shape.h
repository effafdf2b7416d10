#pragma once
// Shape and choices of a decoder-only transformer, as values. A family's reader fills them from its
// files; the layer loops read them and know no family.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/models/layer_kinds.h"
#include "engines/models/rotary_scaling.h"
#include "sim/core/token.h"

namespace speclab::engines {

/// The norms of a block f, which is attention or feed-forward.
enum class NormPlace : std::uint8_t {
  before,     ///< x + f(norm(x)): most families
  after,      ///< x + norm(f(x)): OLMo 2
  around,     ///< x + norm(f(norm(x))): Gemma 2 and 3
  after_sum,  ///< norm(x + f(x)): OPT-350m
};

/// Norms of queries and keys before positions are put in.
enum class HeadNorm : std::uint8_t {
  none,
  shared,     ///< each head by itself, one weight [head_dim] for all: Qwen 3, Gemma 3
  own,        ///< each head by itself with its own weight, [heads, head_dim]: StableLM
  all_heads,  ///< all heads as one vector, [heads * head_dim]: OLMo 2
};

enum class Positions : std::uint8_t { rotary, learned };

/// The values of a head that turn together.
enum class RotaryPairs : std::uint8_t {
  halves,    ///< i and i + rotary_size / 2: Hugging Face's order, and that of all kernels here
  adjacent,  ///< 2 i and 2 i + 1: GGUF's Llama; readers bring the rows into halves
};

/// Limits beyond which a field of a shape is damage, not a size.
struct DecoderLimits {
  static constexpr std::int64_t kMostTokens = 2'000'000, kLongest = 1 << 24, kMostLayers = 1000,
                                kWidest = 1 << 20, kMostHeads = 4096, kMostExperts = 4096;
};

struct DecoderShape {
  std::string name;
  std::string family = "llama";  ///< whose tensor names the files have
  std::int32_t vocab_size = 0;
  std::int32_t context_length = 0;
  std::int32_t num_layers = 0;
  std::int32_t hidden_size = 0;
  std::int32_t intermediate_size = 0;  ///< of the feed-forward
  std::int32_t num_heads = 0;
  std::int32_t num_kv_heads = 0;
  std::int32_t head_dim = 0;
  float rope_theta = 10000.0f;
  float norm_epsilon = 1e-5f;
  bool tied_embeddings =
      true;  ///< the head is the embedding table, or its rows of the draft vocabulary
  std::int32_t feature_size = 0;  ///< of a feature transformer: of the vector beside every token,
                                  ///< as many states of hidden_size, fused with its embedding
  std::string config_sha256{};    ///< of the config.json that it was read from; empty: of none
  std::string widened_from{};     ///< the model that was put into this larger shape; empty: none
  std::int32_t state_width = 0;   ///< first values of the residual stream that count: the others
                                  ///< are zero, norms leave them out, drafters do not see them;
                                  ///< 0: all
  std::vector<Token>
      draft_vocabulary{};  ///< of a drafter: token of each row of its head, ascending; empty: all

  NormKind norm = NormKind::rms;
  NormPlace norm_place = NormPlace::before;
  bool norm_bias = false;
  bool norm_adds_one = false;  ///< the file holds weight - 1: Hugging Face's Gemma
  bool final_norm = true;      ///< before the head

  Positions positions = Positions::rotary;
  std::int32_t position_offset = 0;  ///< row of the learned table that position 0 takes: OPT's 2
  std::int32_t rotary_part = 0;      ///< values of a head that turn; 0: all
  RotaryPairs rotary_pairs = RotaryPairs::halves;
  RotaryScaling rotary_scaling{};
  std::optional<float> window_rope_theta{};  ///< base of layers with a window, whose positions are
                                             ///< not scaled; nothing: as the others

  bool query_key_value_bias = false;
  bool attention_output_bias = false;
  HeadNorm head_norm = HeadNorm::none;
  bool head_norm_bias = false;
  std::optional<float> attention_scale{};  ///< of the scores; nothing: 1 / sqrt(head_dim)
  float attention_soft_cap = 0;            ///< c tanh(score / c); 0: none
  std::vector<std::int32_t> windows{};     ///< [num_layers] positions that a row sees, itself
                                           ///< included, 0: all; empty: all in every layer

  bool gated = true;  ///< down(act(gate x) * up x), else down(act(up x))
  Activation activation = Activation::silu;
  bool feed_forward_bias = false;
  std::int32_t num_experts = 0;  ///< 0: the feed-forward is one
  std::int32_t experts_per_token = 0;
  std::int32_t expert_size = 0;       ///< intermediate size of an expert
  bool normalised_experts = true;     ///< the weights of the chosen experts sum to 1
  std::vector<bool> expert_layers{};  ///< [num_layers]; empty: all, where there are experts

  bool parallel = false;     ///< x + attention(norm(x)) + feed_forward(norm'(x))
  bool shared_norm = false;  ///< norm' is norm: Phi
  float residual_scale = 1;  ///< of a block's output
  float embedding_scale = 1;
  std::int32_t embedding_size = 0;  ///< of the table where it is projected to hidden_size; 0: that
  bool head_bias = false;
  float logit_scale = 1;
  float logit_soft_cap = 0;  ///< c tanh(logit / c); 0: none

  bool is_feature_transformer() const { return feature_size > 0; }
  /// Layers whose residual stream stands behind the last state where hidden states are wanted:
  /// those that end the first and the second third, as in EAGLE-3 (Li et al. 2025, section 3.1);
  /// none of fewer than three layers, or of a feature transformer.
  std::vector<std::int32_t> state_layers() const {
    return num_layers < 3 || is_feature_transformer()
               ? std::vector<std::int32_t>{}
               : std::vector{num_layers / 3 - 1, 2 * num_layers / 3 - 1};
  }
  /// Values of the residual stream that count.
  std::int32_t counting_width() const { return state_width > 0 ? state_width : hidden_size; }
  bool head_is_embedding() const { return tied_embeddings && draft_vocabulary.empty(); }
  std::int32_t num_logits() const {
    return draft_vocabulary.empty() ? vocab_size
                                    : static_cast<std::int32_t>(draft_vocabulary.size());
  }
  std::int32_t query_size() const { return num_heads * head_dim; }
  std::int32_t kv_size() const { return num_kv_heads * head_dim; }
  /// Values of a head that turn with the position.
  std::int32_t rotary_size() const {
    if (positions != Positions::rotary) return 0;
    return rotary_part > 0 ? rotary_part : head_dim;
  }
  /// Width of the embedding table and of the head's rows.
  std::int32_t table_width() const { return embedding_size > 0 ? embedding_size : hidden_size; }
  std::int64_t num_parameters() const;  ///< of its own: the embeddings and the head that a feature
                                        ///< transformer shares with its target are the target's
  /// @param where  file, for the message
  /// @throws ModelFileError naming the field that no decoder can have
  void validate(const std::string& where) const;
};

/// States of the target that a feature transformer reads beside every token.
inline std::int32_t num_features(const DecoderShape& shape) {
  return shape.hidden_size > 0 ? shape.feature_size / shape.hidden_size : 0;
}
/// Positions that a row of this layer sees, itself included; 0: all.
inline std::int32_t window_of(const DecoderShape& shape, std::int32_t layer) {
  return shape.windows.empty() ? 0 : shape.windows[static_cast<std::size_t>(layer)];
}
inline bool has_experts(const DecoderShape& shape, std::int32_t layer) {
  return shape.num_experts > 0 &&
         (shape.expert_layers.empty() || shape.expert_layers[static_cast<std::size_t>(layer)]);
}
/// Factor of the scores of attention.
float score_scale(const DecoderShape& shape);
/// Elements of the keys and values of one token, all layers together.
inline std::int64_t cache_elements_per_token(const DecoderShape& shape) {
  return std::int64_t{shape.num_layers} * shape.kv_size() * 2;
}
/// Parameters that a forward of one row reads: the head's among them, of the embeddings none beside
/// it, of the experts those of a token.
std::int64_t parameters_read(const DecoderShape& shape);

/// The first choice that the Llama family does not have, in words; nothing: it has this shape.
/// Programs that only know that family refuse by it.
std::optional<std::string> beyond_llama(const DecoderShape& shape);

class JsonNode;

/// The tokens that a drafter can draft, as its config.json lists them: of the target's vocabulary,
/// ascending, each once.
/// @throws ModelFileError naming the element
std::vector<Token> read_draft_vocabulary(const JsonNode& list, std::int32_t vocab_size);

/// Row of every token in a head of these tokens, one of all where there are none. @param absent row
/// of a token that the head has not
std::vector<std::int32_t> rows_of_tokens(std::span<const Token> draft_vocabulary,
                                         std::int32_t vocab_size, std::int32_t absent);

}  // namespace speclab::engines
