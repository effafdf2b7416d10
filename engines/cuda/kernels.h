#pragma once
// The device's steps of one forward, in the order of a layer. All read the rows from a ForwardState
// on the device; none waits.

#include <cstdint>

#include "engines/cuda/kernels/product_arguments.h"

namespace speclab::engines::cuda {

/// The residual stream with what the next product reads: the stream times its norm's gain, and sums
/// of squares of 16 values each.
struct ResidualStream {
  float* values;          ///< [kMaxRows, hidden]
  std::uint16_t* gained;  ///< [kMaxRows, hidden]
  float* partials;        ///< [kMaxRows, hidden / 16]
  const float* gain;      ///< [hidden], of the norm that comes next
  std::int32_t hidden;
  float* kept = nullptr;  ///< [kMaxRows, hidden], where the sum goes too; null: nowhere
};

/// Queries of the pass, and the cache of one layer.
struct AttentionBuffers {
  std::uint16_t* queries;   ///< [kMaxRows, heads * head_dim]
  std::uint16_t* keys;      ///< [sequences, kv_heads, capacity, head_dim]
  std::uint16_t* values;    ///< [sequences, kv_heads, head_dim, capacity]
  std::uint16_t* output;    ///< [kMaxRows, heads * head_dim]
  float* partial_outputs;   ///< [tiles of 16 query rows, kv_heads, splits, 16, head_dim]
  float2* partial_sums;     ///< [tiles, kv_heads, splits, 16]: maximum, sum
  std::int32_t* arrivals;   ///< [tiles, kv_heads], zero between passes
  const float2* rotations;  ///< [context, head_dim / 2]: cosine, sine
  std::int32_t heads, kv_heads, head_dim, capacity;
  const float* bias = nullptr;  ///< [(heads + 2 kv_heads) * head_dim], of queries, keys and values
                                ///< in the order of the packed rows; null: none
};

/// The kernels of a pass, as bits.
enum PassKernel : std::uint32_t {
  embed_kernel = 1,
  query_key_value_kernel = 2,
  attention_kernel = 4,
  attention_output_kernel = 8,
  gate_up_kernel = 16,
  down_kernel = 32,
  head_kernel = 64
};

/// Upper bounds that a captured graph was made for.
struct PassShape {
  std::int32_t rows, wanting, groups, rows_per_group, splits;
  bool keeps_streams = false;  ///< behind the layers whose stream is part of a hidden state, in
                               ///< PassStates::kept
  bool spreads_logits = true;  ///< those of a draft vocabulary over all tokens
  std::uint32_t left_out =
      0;  ///< PassKernel bits that a measurement leaves out; what the pass gives means nothing then
};

/// Hidden states that a pass reads or leaves, [kMaxRows, hidden] a place.
struct PassStates {
  const float* read[kMostFeatures]{};  ///< of a feature transformer, by ForwardState::states; null:
                                       ///< zeros
  float* kept = nullptr;  ///< the places: the last states, which put_hidden_states fills, then
                          ///< those behind state_layers()
};

/// The best of 16 consecutive logits of a row.
struct BestLogit {
  float value;
  std::int32_t token;
};

/// Rows of the packed embedding table, [vocab, hidden] bfloat16, become the stream.
void launch_embed(const ForwardState* state, const void* table, const ResidualStream& stream,
                  int rows, const LaunchContext& context);
/// What a feature transformer fuses, and the buffers for it.
struct FusionInputs {
  const std::uint16_t* table;                  ///< packed embeddings, [vocab, hidden] bfloat16
  const float *embedding_gain, *feature_gain;  ///< [hidden], [features, hidden]
  const float* states[kMostFeatures];          ///< as PassStates::read
  std::uint16_t* fused;                        ///< [kMaxRows, (1 + features) * hidden]
  float* stream;                               ///< [kMaxRows, hidden], becomes zero
  std::int32_t hidden, features;
  float epsilon;
};
/// The norms of a row's embedding and of each state beside it, one behind the other. In place of
/// launch_embed; the product that fuses them is added to the stream.
void launch_fuse_inputs(const ForwardState* state, const FusionInputs& inputs, int rows,
                        const LaunchContext& context);
/// Rotated queries to attention.queries, rotated keys and values to the cache's slots of the rows.
void launch_query_key_value(const ForwardState* state, const ProductArguments& a,
                            const AttentionBuffers& attention, int rows,
                            const LaunchContext& context);
/// @throws DeviceError if the kernels have not the head's size
void launch_attention(const ForwardState* state, const AttentionBuffers& attention,
                      const PassShape& shape, const LaunchContext& context);
/// The product is added to the stream.
void launch_add_to_residual(const ProductArguments& a, const ResidualStream& stream, int rows,
                            const LaunchContext& context);
/// @param inner  [rows, 8 a.blocks] bfloat16: silu(gate) * up
void launch_gated_silu(const ProductArguments& a, std::uint16_t* inner, int rows,
                       const LaunchContext& context);
/// @param best  [rows, a.blocks] @param logits  [rows, vocab]
void launch_head(const ProductArguments& a, float* logits, BestLogit* best, int vocab, int rows,
                 const LaunchContext& context);
/// Logits of a draft vocabulary, and where each goes in the whole one.
struct DraftLogits {
  const float* logits;         ///< [rows, size]
  const std::int32_t* tokens;  ///< [size], ascending
  const std::int32_t* rows;    ///< [vocab]: of the head, -1 where a token has none
  std::int32_t size, vocab;
};
/// Minus infinity outside the draft vocabulary; the best logits, which name rows of the head, name
/// tokens then.
/// @param logits  [rows, vocab] @param best  [rows, blocks]
void launch_spread_logits(const std::int32_t* num_rows, const DraftLogits& draft, float* logits,
                          BestLogit* best, int blocks, int rows, const LaunchContext& context);
/// What the head multiplies, in float32. @param hidden  [rows, hidden_size]
void launch_hidden_states(const ProductArguments& a, const ResidualStream& stream, float* hidden,
                          int rows, const LaunchContext& context);
/// A sequence in the cache of all layers.
struct CachedSequence {
  std::uint16_t* keys;    ///< [layers, sequences, kv_heads, capacity, head_dim]
  std::uint16_t* values;  ///< [layers, sequences, kv_heads, head_dim, capacity]
  std::int32_t layers, sequences, sequence, kv_heads, capacity, head_dim;
};
/// In all layers.
void launch_move_slots(const CachedSequence& cache, const SlotMoves& moves,
                       const LaunchContext& context);
/// @param moves  on the device @param most  upper bound of their number
void launch_move_slots(const CachedSequence& cache, const SlotMoves* moves, int most,
                       const LaunchContext& context);
/// Normal values with standard deviation 0.02 in place of weights, for shape models.
void launch_random_weights(std::uint16_t* weights, std::int64_t count, std::uint64_t seed,
                           const LaunchContext& context);

}  // namespace speclab::engines::cuda
