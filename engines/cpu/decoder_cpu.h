#pragma once
// Any decoder on the CPU: packed weights, own kernels, one parallel region a forward. Every row's
// result is bit-equal whatever rows are beside it, so plain decoding, verification of chains and
// trees, and batches agree exactly.

#include <memory>

#include "engines/cpu/number_forms.h"
#include "engines/cpu/thread_team.h"
#include "engines/interface/language_model.h"
#include "engines/models/decoder_weights.h"

namespace speclab::engines::cpu {

struct FormChoice;
struct PackedDecoder;
struct Workspace;

class DecoderCpu final : public LanguageModel {
 public:
  /// @param numbers  of weights and activations at the products, and of the cache; sums, norms and
  /// attention are float32
  /// @param kernels  one of runnable_kernels(); the best where tests do not choose. If they keep
  /// one form of the fastest weights, a probe chooses it before most layers are loaded
  DecoderCpu(const DecoderShape& shape, const DecoderWeights& weights, const NumberForms& numbers,
             const std::shared_ptr<ThreadTeam>& team, const CpuKernels* kernels = best_kernels());
  ~DecoderCpu() override;

  /// Bytes of memory at the highest point of loading: packed weights, and float32 values of the
  /// tables, then of one layer a thread. If a probe chooses one form, the larger one counts.
  static std::int64_t bytes_to_load(const DecoderShape& shape, const DecoderWeights& weights,
                                    const NumberForms& numbers, int num_threads,
                                    const CpuKernels* kernels = best_kernels());

  /// The info of a model loaded so, but for what a probe chooses. It reads no weights but for the
  /// digest.
  static ModelInfo describe(const DecoderShape& shape, const DecoderWeights& weights,
                            const NumberForms& numbers, const CpuKernels* kernels = best_kernels());

  const ModelInfo& info() const override { return info_; }
  std::unique_ptr<KvCache> make_cache(std::int32_t max_sequences, std::int32_t capacity) override;
  ForwardResult forward(std::span<const ForwardRow> rows, KvCache& cache) override;

 private:
  DecoderCpu(const DecoderShape& shape, const DecoderWeights& weights, FormChoice&& choice,
             const std::shared_ptr<ThreadTeam>& team, const CpuKernels* kernels);

  std::unique_ptr<PackedDecoder> model_;
  std::unique_ptr<Workspace> room_;
  ModelInfo info_;
};

}  // namespace speclab::engines::cpu
