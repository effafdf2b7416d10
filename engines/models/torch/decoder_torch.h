#pragma once
// The Llama family in plain ATen operations, on any device and dtype: the path for CUDA, and on the
// CPU the slow reference that the fast one is checked against.

#include <ATen/core/Tensor.h>

#include <vector>

#include "engines/interface/language_model.h"
#include "engines/models/decoder/decoder_weights.h"
#include "engines/models/torch/kv_cache_torch.h"

namespace speclab::engines {

class DecoderTorch final : public LanguageModel {
 public:
  /// @param device  "cpu", "cuda" @param dtype  "float32", "bfloat16"
  /// @throws DeviceError if the device is not there
  DecoderTorch(const DecoderShape& config, const DecoderWeights& weights, const std::string& device,
               const std::string& dtype);

  const ModelInfo& info() const override { return info_; }
  std::unique_ptr<KvCache> make_cache(std::int32_t max_sequences, std::int32_t capacity) override;
  ForwardResult forward(std::span<const ForwardRow> rows, KvCache& cache) override;

 private:
  struct Layer {
    at::Tensor attention_norm, query_key_value, attention_output, feed_forward_norm, gate_up, down;
  };
  /// The rows of one forward as tensors.
  struct Rows {
    at::Tensor tokens, positions, sequences, slots;  ///< [N], int64
    at::Tensor wanting_logits, wanting_hidden;       ///< row numbers
    at::Tensor features;  ///< [N, feature_size], float32; undefined where the model reads none
    std::vector<at::Tensor> of_sequence;  ///< row numbers of each sequence in the forward
    std::vector<at::Tensor> masks;        ///< [n, slots] per sequence: 0 where visible, else -inf
    std::vector<std::int32_t> sequence_ids;
  };

  at::Tensor load(const DecoderWeights& weights, TensorRole role, std::int32_t layer,
                  std::int64_t columns) const;
  Rows prepare(std::span<const ForwardRow> rows, const RowPlan& plan) const;
  at::Tensor embed(const Rows& rows) const;
  at::Tensor norm(const at::Tensor& x, const at::Tensor& weight) const;
  at::Tensor rotate(const at::Tensor& heads, const at::Tensor& positions) const;
  at::Tensor attention(const at::Tensor& x, const Rows& rows, std::int32_t layer,
                       KvCacheTorch& cache) const;

  DecoderShape config_;
  at::TensorOptions options_;
  ModelInfo info_;
  at::Tensor embedding_, head_, output_norm_, cosine_, sine_, embedding_norm_, feature_norm_,
      fusion_;
  std::vector<Layer> layers_;
  at::Tensor logits_, hidden_;
};

}  // namespace speclab::engines
