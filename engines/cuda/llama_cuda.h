#pragma once
// The Llama family on a CUDA device with the project's own kernels: bfloat16 weights, activations
// and cache, float32 sums. A row's result does not depend on the rows beside it, so plain decoding
// and verification of chains agree bit for bit.

#include <memory>
#include <vector>

#include "engines/cuda/device_llama.h"
#include "engines/interface/language_model.h"
#include "engines/models/row_plan.h"

namespace speclab::engines::cuda {

class KvCacheCuda;

class LlamaCuda final : public LanguageModel {
 public:
  /// @param resident_bytes  as DeviceLlama has it
  /// @throws DeviceError if there is no device, a size has no kernel, or the device's memory is
  /// full
  /// @throws ConfigError if resident_bytes is too small
  LlamaCuda(const DecoderShape& config, const DecoderWeights& weights,
            std::shared_ptr<const Device> device, std::optional<std::int64_t> resident_bytes = {});

  const ModelInfo& info() const override { return info_; }
  std::unique_ptr<KvCache> make_cache(std::int32_t max_sequences, std::int32_t capacity) override;
  ForwardResult forward(std::span<const ForwardRow> rows, KvCache& cache) override;

  const DeviceLlama& on_device() const { return llama_; }

 private:
  PassShape fill_state(std::span<const ForwardRow> rows, std::size_t begin, std::size_t end,
                       KvCacheCuda& cache);
  void run_pass(KvCacheCuda& cache, const PassShape& shape);
  void put_pass(const KvCacheCuda& cache, const PassShape& shape);
  void take_feature(const float* feature, std::int32_t row);
  void copy_outputs(std::span<const ForwardRow> rows);
  void bring(const float* from, float* to, std::size_t count);
  /// Copies the features of as many rows to the device.
  void put_features(std::int32_t rows);
  void bring_states(std::int32_t wanting);
  void append_states(std::int32_t brought);
  /// Where the last pass left a row's state: of place 0 those of the rows that want anything, of
  /// the others, streams behind layers, those of all rows.
  float* states_of(std::int32_t place, std::int32_t row);

  std::shared_ptr<const Device> device_;
  DeviceLlama llama_;
  ModelInfo info_;
  PinnedArray<ForwardState> state_;
  DeviceArray<ForwardState> device_state_;
  PinnedArray<float> pinned_logits_;
  DeviceArray<float>
      states_;  ///< [1 + num_state_layers, kMaxRows, hidden_size], as PassStates::kept
  PinnedArray<float> pinned_states_;    ///< the same
  DeviceArray<float> features_;         ///< [features, kMaxRows, hidden_size] of the coming pass
  PinnedArray<float> pinned_features_;  ///< the same
  std::vector<float> logits_, hidden_;
  std::span<const float> logits_span_;
};

}  // namespace speclab::engines::cuda
