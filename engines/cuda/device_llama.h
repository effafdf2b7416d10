#pragma once
// Weights and buffers of a Llama-family model on the device, and the kernels of one pass over up to
// 64 rows.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/cuda/device.h"
#include "engines/cuda/device_memory.h"
#include "engines/cuda/kernels.h"
#include "engines/cuda/layer_block.h"
#include "engines/cuda/layer_stream.h"
#include "engines/models/decoder_weights.h"

namespace speclab::engines::cuda {

class KvCacheCuda;

class DeviceLlama {
 public:
  /// Nothing where the kernels have all sizes of a model, else what they lack.
  static std::optional<std::string> lacking(const DecoderShape& config);
  /// @param device  outlives the model @param resident_bytes  of device memory that weights may
  /// take; layers that do not fit come from pinned host memory at every pass; none: all stay
  /// @throws DeviceError if a size has no kernel or, before weights are read, the device's memory
  /// is too small
  /// @throws ConfigError if resident_bytes is too small
  DeviceLlama(const DecoderShape& config, const DecoderWeights& weights, const Device& device,
              std::optional<std::int64_t> resident_bytes = {});

  /// Puts the kernels of one pass into the device's stream; they read `state`.
  void put_pass(const ForwardState* state, const KvCacheCuda& cache, const PassShape& shape,
                const PassStates& states = {}) const;
  /// What the head multiplies, of the rows that want it.
  /// @param hidden  [kMaxRows, hidden_size]
  void put_hidden_states(const ForwardState* state, int wanting, float* hidden) const;

  const DecoderShape& config() const { return config_; }
  const Device& device() const { return device_; }
  float* logits() const {
    return logits_.data();
  }  ///< [kMaxRows, vocab_size]: minus infinity outside a draft vocabulary, of passes that spread
  /// What the head left before it was spread; without logits where it has the whole vocabulary.
  DraftLogits draft_logits() const {
    return {draft_logits_.data(), draft_tokens_.data(), draft_rows_.data(),
            static_cast<std::int32_t>(draft_tokens_.size()), config_.vocab_size};
  }
  BestLogit* best() const { return best_.data(); }  ///< [kMaxRows, head_blocks]
  std::int32_t head_blocks() const;
  std::int64_t weight_bytes() const;  ///< read by one pass with logits
  const ResidentLayers& resident_layers() const { return resident_; }

 private:
  struct Layer {
    DeviceArray<float> attention_norm, feed_forward_norm;
    DeviceArray<std::uint16_t> matrices;      ///< block_; empty of a streamed layer
    DeviceArray<float> query_key_value_bias;  ///< in the order of packed rows; empty: none
  };
  using RowMap = std::int64_t (DeviceLlama::*)(std::int64_t) const;

  /// @throws DeviceError where the weights that stay on the device do not fit there
  void require_memory() const;
  void load(const DecoderWeights& weights);
  DeviceArray<std::uint16_t> load_table(const DecoderWeights& weights, TensorRole table,
                                        std::int64_t columns) const;
  DeviceArray<std::uint16_t> load_matrices(const DecoderWeights& weights, std::int32_t layer) const;
  DeviceArray<float> load_bias(const DecoderWeights& weights, std::int32_t layer) const;
  /// Fills a packed matrix on the device.
  void fill(std::uint16_t* matrix, const DecoderWeights& weights,
            std::initializer_list<TensorRole> roles, std::int32_t layer, std::int64_t columns,
            RowMap map) const;
  struct PartOfColumns {
    std::int64_t counting, columns;
  };
  /// Fills a packed matrix with these first columns, and with random values behind them.
  void fill_part(std::uint16_t* matrix, std::span<const std::uint16_t> packed,
                 const PartOfColumns& part, std::uint64_t seed) const;
  std::int64_t same_row(std::int64_t row) const { return row; }
  std::int64_t query_key_value_row(std::int64_t row) const;
  std::int64_t gate_up_row(std::int64_t row) const;
  void load_rotations();
  void load_draft_vocabulary();
  void load_fusion(const DecoderWeights& weights);
  void put_head(const ForwardState* state, const PassShape& shape) const;

  /// What one pass is given.
  struct Pass {
    const ForwardState* state;
    const KvCacheCuda& cache;
    const PassShape& shape;
    const PassStates& states;
    bool keeps(PassKernel kernel) const { return (shape.left_out & kernel) == 0; }
  };
  /// A layer's kernels but for what a pass brings: rows, the cache, and a streamed layer's block.
  struct LayerPlan {
    const std::uint16_t* block;  ///< null: streamed
    ProductArguments query_key_value, attention_output, gate_up, down;
    const float* bias;
    ResidualStream between, behind;  ///< behind attention, and behind the layer
    std::int64_t kept_from = 0;  ///< the stream's place in PassStates::kept, in elements; 0: none
    bool is_streamed() const { return block == nullptr; }
  };
  void make_plans();
  void put_embeddings(const Pass& pass) const;
  void put_fusion(const Pass& pass) const;
  void put_layer(std::size_t l, const Pass& pass) const;
  /// A product's but for its weights and rows. @param elements  of the packed weights
  ProductArguments arguments(std::size_t elements, const std::uint16_t* input, std::int64_t columns,
                             bool is_scaled) const;
  ProductArguments head_arguments(const ForwardState* state) const;
  ResidualStream stream(const DeviceArray<float>& gain) const;

  DecoderShape config_;
  const Device& device_;
  DeviceArray<std::uint16_t> embedding_, head_;  ///< head_ is empty where it is the embedding
  DeviceArray<float> output_norm_, embedding_norm_, feature_norm_;  ///< two as fusion_
  DeviceArray<float> rotations_;                                    ///< [context, head_dim / 2, 2]
  /// Of a feature transformer; fused_ is the product's input.
  DeviceArray<std::uint16_t> fusion_, fused_;
  LayerBlock block_;
  ResidentLayers resident_;
  std::vector<Layer> layers_;
  std::vector<LayerPlan> plans_;       ///< of layers_
  std::optional<LayerStream> stream_;  ///< of the layers behind those that stay
  DeviceArray<float> residual_, partials_, logits_;
  DeviceArray<std::uint16_t> gained_, queries_, attended_, inner_;
  DeviceArray<BestLogit> best_;
  DeviceArray<float> draft_logits_;  ///< [kMaxRows, num_logits], empty without a draft vocabulary,
                                     ///< as its tokens and their rows
  DeviceArray<std::int32_t> draft_tokens_, draft_rows_;
};

}  // namespace speclab::engines::cuda
