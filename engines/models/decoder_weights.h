#pragma once
// The tensors of a decoder by role, in float32 and in one convention, whatever file they come from.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engines/formats/weight_source.h"
#include "engines/models/decoder_shape.h"

namespace speclab::engines {

/// New roles stand behind the others: the numbers pick the random streams of shape models.
enum class TensorRole {
  embedding,    ///< [vocab, table_width]
  output_norm,  ///< [hidden]
  head,  ///< [num_logits, table_width]; if tied the embedding, or its rows of the draft vocabulary
  attention_norm,  ///< per layer, [hidden]
  query,  ///< [num_heads * head_dim, hidden]; rotary pairs are (i, i + rotary_size / 2) of a head
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
  position_embedding,      ///< [context + position_offset, hidden]
  embedding_projection,    ///< [hidden, table_width]
  output_projection,       ///< [table_width, hidden]
  output_norm_bias,        ///< [hidden]
  head_bias,               ///< [num_logits]
  attention_norm_bias,     ///< [hidden]
  feed_forward_norm_bias,  ///< [hidden]
  attention_output_norm,   ///< [hidden], of what attention adds, or of the sum
  attention_output_norm_bias,
  feed_forward_output_norm,  ///< [hidden], of what the feed-forward adds, or of the sum
  feed_forward_output_norm_bias,
  query_bias,  ///< [num_heads * head_dim]
  key_bias,    ///< [num_kv_heads * head_dim]
  value_bias,
  attention_output_bias,  ///< [hidden]
  query_norm,             ///< [head_dim], [num_heads, head_dim] or [num_heads * head_dim]
  key_norm,               ///< likewise, of the key heads
  query_norm_bias,
  key_norm_bias,
  gate_bias,    ///< [intermediate]
  up_bias,      ///< [intermediate]
  down_bias,    ///< [hidden]
  router,       ///< [num_experts, hidden]
  expert_gate,  ///< [num_experts, expert_size, hidden]
  expert_up,    ///< [num_experts, expert_size, hidden]
  expert_down,  ///< [num_experts, hidden, expert_size]
};

/// All roles, in order.
std::span<const TensorRole> tensor_roles();
/// Whether each layer has one of its own.
bool is_of_layer(TensorRole role);
bool is_norm_weight(TensorRole role);
bool is_bias(TensorRole role);
/// Whether a decoder of this shape has it, in this layer.
bool has_role(TensorRole role, const DecoderShape& shape, std::int32_t layer);
/// The shape that the role must have, outermost first.
std::vector<std::int64_t> shape_of(TensorRole role, const DecoderShape& shape);
/// The product of it.
std::int64_t num_elements(TensorRole role, const DecoderShape& shape);
/// Bytes of so many values in float32.
constexpr std::int64_t float32_bytes(std::int64_t num_values) { return num_values * 4; }

/// The rows of these tokens, one behind the other. @param table  [vocab, width]
std::vector<float> rows_of(std::span<const Token> tokens, std::span<const float> table,
                           std::int32_t width);

/// Places of a role's rows in files.
struct RowPlaces {
  const BlockFormat* format = nullptr;  ///< of all rows
  std::int64_t row_bytes = 0;
  std::vector<TensorBytes> tensors{};  ///< one behind the other
  std::vector<std::int64_t> rows{};    ///< in the order of read(): numbers of the tensors' rows

  struct Place {
    const InputFile* file;
    std::uint64_t offset;  ///< from the start of the file
  };
  Place place_of(std::size_t row) const;
};

class DecoderWeights {
 public:
  virtual ~DecoderWeights() = default;
  /// @param role   one that the shape has
  /// @param layer  ignored for roles that are not of a layer
  virtual std::vector<float> read(TensorRole role, std::int32_t layer) const = 0;
  /// The GGUF type of the role's rows, "Q4_1"; empty where they cannot be had as they are stored.
  virtual std::string_view stored_type(TensorRole role, std::int32_t layer) const {
    static_cast<void>(role), static_cast<void>(layer);
    return "";
  }
  /// The rows of read() in blocks of stored_type().
  virtual std::vector<std::byte> read_stored(TensorRole role, std::int32_t layer) const;
  /// The places of the rows of read(); nothing where they stand in no file, or not row by row.
  virtual std::optional<RowPlaces> row_places(TensorRole role, std::int32_t layer) const {
    static_cast<void>(role), static_cast<void>(layer);
    return std::nullopt;
  }
  /// Bytes of memory that read() takes at its highest point, its result among them. By default the
  /// result is made and measured.
  virtual std::int64_t bytes_to_read(TensorRole role, std::int32_t layer) const {
    return static_cast<std::int64_t>(read(role, layer).size() * sizeof(float));
  }
  /// Columns of the role's rows behind which all multiply zeros, so that any finite values serve
  /// there; nothing: all count.
  virtual std::optional<std::int64_t> counting_columns(TensorRole role) const {
    static_cast<void>(role);
    return std::nullopt;
  }
  /// The rows of read() up to counting_columns(), where the role has some.
  virtual std::vector<float> read_counting(TensorRole role, std::int32_t layer) const {
    return read(role, layer);
  }
  /// SHA-256 of the bytes the weights come from, hexadecimal; of a shape model the words that make
  /// it again.
  virtual std::string sha256() const = 0;
  /// Whether they were made up for a shape model.
  virtual bool are_random() const { return false; }

 protected:
  /// A head that is tied: the embedding, or its rows of the draft vocabulary.
  std::vector<float> read_tied_head(const DecoderShape& shape) const;
};

/// Finds tensors by GGUF's names.
/// @throws ModelFileError if a tensor is missing, has another shape, or is read by nobody
std::unique_ptr<DecoderWeights> decoder_weights_from_gguf(std::shared_ptr<const WeightSource> file,
                                                          const DecoderShape& shape);
/// Finds tensors by Hugging Face's names of the shape's family. @throws ModelFileError likewise
std::unique_ptr<DecoderWeights> decoder_weights_from_checkpoint(
    std::shared_ptr<const WeightSource> folder, const DecoderShape& shape);
/// Normal with standard deviation 0.02, norms 1, biases 0: a shape model.
std::unique_ptr<DecoderWeights> random_decoder_weights(const DecoderShape& shape,
                                                       std::uint64_t seed);

}  // namespace speclab::engines
