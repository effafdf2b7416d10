#pragma once
// The Llama family on the CPU: packed weights, own kernels, one parallel region a forward. Every
// row's result is bit-equal whatever rows are beside it, so plain decoding, verification of chains
// and trees, and batches agree exactly.

#include <algorithm>
#include <memory>
#include <vector>

#include "engines/interface/language_model.h"
#include "engines/models/cpu/kernels.h"
#include "engines/models/cpu/kv_cache_cpu.h"
#include "engines/models/cpu/packed_matrix.h"
#include "engines/models/cpu/thread_team.h"
#include "engines/models/decoder/decoder_weights.h"

namespace speclab::engines::cpu {

class DecoderCpu final : public LanguageModel {
 public:
  /// @param type  of weights and activations at the products; sums, norms, attention and cache are
  /// float32
  /// @param kernels  one of runnable_kernels(); the best where tests do not choose
  DecoderCpu(const DecoderShape& config, const DecoderWeights& weights, ElementType type,
             std::shared_ptr<ThreadTeam> team, const CpuKernels* kernels = best_kernels());

  const ModelInfo& info() const override { return info_; }
  std::unique_ptr<KvCache> make_cache(std::int32_t max_sequences, std::int32_t capacity) override;
  ForwardResult forward(std::span<const ForwardRow> rows, KvCache& cache) override;

 private:
  struct Layer {
    std::vector<float> attention_norm, feed_forward_norm;
    PackedMatrix query_key_value, attention_output, gate_up, down;
  };
  struct HeadTask {
    int row, out_row;  ///< in the forward, in the attended rows
    int head;
  };
  struct Scratch {  ///< of one thread
    std::vector<float> scores, weighted, head;
  };

  /// Calls work(range) on this thread for its part of [0, count). Few rows are cut once, so that
  /// every thread streams one stretch of weights; many are dealt in grains as threads come for
  /// them, so that none waits for one that was held up.
  template <typename Work>
  void deal(int rank, int rows, int count, int grain, const Work& work) {
    constexpr int kManyRows = 32;
    if (rows < kManyRows) return work(share(count, rank, team_->size()));
    for (int begin; (begin = team_->take() * grain) < count;)
      work(Range{begin, std::min(begin + grain, count)});
  }

  void load(const DecoderWeights& weights);
  Layer load_layer(const DecoderWeights& weights, std::int32_t layer) const;
  void reserve(std::size_t rows);
  void run_layers(int rank);
  void run_layer(int rank, std::int32_t layer);
  void choose_rows();
  void keep_rows_going_on();
  void embed(int rank);
  void fuse(int rank);
  void norm_rows(int rank, int rows, const std::vector<float>& weight);
  void multiply(int rank, const PackedMatrix& matrix, const void* x, int rows, void* out,
                std::int64_t out_stride, Epilogue epilogue);
  void rotate_and_store(int rank, std::int32_t layer);
  void rotate(const float* in, std::int32_t position, float* out) const;
  void attend(int rank, std::int32_t layer, bool is_last);
  void attend_range(int rank, std::int32_t layer, bool is_last, Range range);
  void attend_heads(int rank, std::int32_t layer, std::span<const HeadTask> tasks);
  const PlacedRow& placed(int row) const;
  std::int32_t kv_head(int head) const;
  bool same_keys(const HeadTask& a, const HeadTask& b) const;
  AttendQuery query_of(const HeadTask& task, float* weighted) const;
  void compute_outputs(int rank);
  void copy_hidden(int rank);
  /// @param place  among the states of a row, the last one's being 0
  void copy_stream(int rank, std::int32_t place);
  void keep_logit_rows();
  ForwardResult result() const;
  void* activation(std::vector<float>& buffer, std::int64_t index);

  DecoderShape config_;
  std::vector<std::int32_t> state_layers_;
  ElementType type_;
  std::shared_ptr<ThreadTeam> team_;
  const CpuKernels* kernels_;
  ModelInfo info_;
  PackedMatrix embedding_, head_, fusion_;
  std::vector<float> output_norm_, embedding_norm_, feature_norm_;
  std::vector<Layer> layers_;
  std::vector<float> rope_;  ///< [context, 2, head_dim / 2]: cosines, sines

  std::span<const ForwardRow> rows_;  ///< of the running forward
  KvCacheCpu* cache_ = nullptr;
  std::vector<std::int32_t> going_on_;  ///< rows that want logits or a hidden state: the last layer
                                        ///< ends for the others with their keys
  std::vector<std::int32_t> logit_rows_, hidden_rows_;  ///< indices into going_on_
  std::vector<float> x_, projected_, normed_, attended_, inner_, logits_, hidden_;
  std::vector<Scratch> scratch_;
};

}  // namespace speclab::engines::cpu
