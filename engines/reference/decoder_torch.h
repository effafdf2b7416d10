#pragma once
// Any decoder in plain ATen operations, on any device and dtype: the slow truth that the kernels
// are checked against. It shares with them only the reader of weights and the rotary frequencies.

#include <ATen/core/Tensor.h>

#include <map>
#include <vector>

#include "engines/interface/language_model.h"
#include "engines/models/decoder_shape.h"
#include "engines/models/decoder_weights.h"
#include "engines/models/row_plan.h"

namespace speclab::engines {

/// Keys and values as two tensors, [layers, sequences, kv_heads, capacity, head_dim], on the
/// model's device.
class KvCacheTorch final : public PlannedKvCache {
 public:
  KvCacheTorch(const DecoderShape& config, std::int32_t max_sequences, std::int32_t capacity,
               const at::TensorOptions& options);

  void commit(std::int32_t sequence, std::span<const std::int32_t> rows) override;
  void keep(std::int32_t sequence, std::span<const std::int32_t> rows) override;

  at::Tensor keys(std::int32_t layer) const {
    return keys_[layer];
  }  ///< [sequences, kv_heads, capacity, head_dim]
  at::Tensor values(std::int32_t layer) const { return values_[layer]; }

 private:
  void copy_entries(std::int32_t from, std::int32_t to) override;
  at::Tensor keys_, values_;
};

class DecoderTorch final : public LanguageModel {
 public:
  /// @param device  "cpu", "cuda" @param dtype  "float32", "bfloat16": of weights and products;
  /// norms, rotations, softmax and the residual stream are float32
  /// @throws DeviceError if the device is not there
  DecoderTorch(const DecoderShape& config, const DecoderWeights& weights, const std::string& device,
               const std::string& dtype);

  /// Bytes of memory at the highest point of loading: the tensors, and one in float32.
  static std::int64_t bytes_to_load(const DecoderShape& shape, const DecoderWeights& weights,
                                    const std::string& dtype);

  /// The info of a model loaded so. It reads no weights but for the digest.
  static ModelInfo describe(const DecoderShape& shape, const DecoderWeights& weights,
                            const std::string& device, const std::string& dtype);

  const ModelInfo& info() const override { return info_; }
  std::unique_ptr<KvCache> make_cache(std::int32_t max_sequences, std::int32_t capacity) override;
  ForwardResult forward(std::span<const ForwardRow> rows, KvCache& cache) override;

 private:
  /// The rows of one forward as tensors.
  struct Rows {
    at::Tensor tokens, positions, sequences, slots;  ///< [N], int64
    at::Tensor wanting_logits, wanting_hidden;       ///< row numbers
    at::Tensor features;  ///< [N, feature_size], float32; undefined where the model reads none
    /// Cosines and sines, [N, 1, rotary_size / 2], by base; undefined where there is none
    std::map<RotaryBase, std::pair<at::Tensor, at::Tensor>> rotations;
    std::vector<at::Tensor> of_sequence;  ///< row numbers of each sequence in the forward
    /// [n, slots] per window and sequence: 0 where visible, else -inf
    std::map<std::int32_t, std::vector<at::Tensor>> masks;
    std::vector<std::int32_t> sequence_ids;
  };

  void load(const DecoderWeights& weights);
  at::Tensor loaded(const DecoderWeights& weights, TensorRole role, std::int32_t layer) const;
  bool has(TensorRole role, std::int32_t layer) const { return has_role(role, config_, layer); }
  const at::Tensor& tensor(TensorRole role, std::int32_t layer) const {
    return tensors_.at({role, layer});
  }

  Rows prepare(std::span<const ForwardRow> rows, const RowPlan& plan) const;
  void prepare_rotations(std::span<const ForwardRow> rows, Rows& prepared) const;
  void prepare_masks(const RowPlan& plan,
                     const std::map<std::int32_t, std::vector<std::int64_t>>& members,
                     Rows& prepared) const;
  at::Tensor embed(const Rows& rows) const;
  at::Tensor run_layer(const at::Tensor& x, const Rows& rows, std::int32_t layer,
                       KvCacheTorch& cache) const;
  at::Tensor logits_of(const at::Tensor& hidden) const;

  // Blocks: float32 in, float32 out.
  at::Tensor norm(const at::Tensor& x, TensorRole weight, TensorRole bias,
                  std::int32_t layer) const;
  at::Tensor normed(const at::Tensor& x, const at::Tensor& weight, const at::Tensor* bias) const;
  at::Tensor project(const at::Tensor& x, TensorRole weight, TensorRole bias,
                     std::int32_t layer) const;
  at::Tensor activated(const at::Tensor& x) const;
  at::Tensor norm_heads(const at::Tensor& heads, TensorRole weight, TensorRole bias,
                        std::int32_t layer) const;
  at::Tensor rotate(const at::Tensor& heads, const Rows& rows, std::int32_t layer) const;
  at::Tensor attention(const at::Tensor& x, const Rows& rows, std::int32_t layer,
                       KvCacheTorch& cache) const;
  at::Tensor attend(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values,
                    const at::Tensor& mask) const;
  at::Tensor feed_forward(const at::Tensor& x, std::int32_t layer) const;
  at::Tensor experts(const at::Tensor& x, std::int32_t layer) const;
  at::Tensor expert(const at::Tensor& x, std::int32_t layer, std::int64_t number) const;
  at::Tensor block_output(const at::Tensor& added, TensorRole weight, TensorRole bias,
                          std::int32_t layer) const;
  at::Tensor product(const at::Tensor& x, const at::Tensor& weight) const;

  DecoderShape config_;
  at::TensorOptions options_;
  ModelInfo info_;
  std::map<std::pair<TensorRole, std::int32_t>, at::Tensor> tensors_;
  at::Tensor logits_, hidden_;
};

}  // namespace speclab::engines
