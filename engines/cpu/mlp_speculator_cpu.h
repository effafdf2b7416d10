#pragma once
// An MLP speculator on the CPU: packed weights, the kernels of DecoderCpu, one parallel region a
// stage.

#include <memory>
#include <span>
#include <vector>

#include "engines/cpu/kernels.h"
#include "engines/cpu/number_forms.h"
#include "engines/cpu/packed_matrix.h"
#include "engines/cpu/thread_team.h"
#include "engines/formats/weight_source.h"
#include "engines/interface/mlp_speculator.h"
#include "engines/models/mlp_speculator_config.h"

namespace speclab::engines::cpu {

class MlpSpeculatorCpu final : public MlpSpeculator {
 public:
  /// @param type  of weights and activations at the products
  /// @throws ModelFileError if a tensor is missing or has another shape
  MlpSpeculatorCpu(const MlpSpeculatorConfig& config, const WeightSource& weights, ElementType type,
                   std::shared_ptr<ThreadTeam> team, const CpuKernels* kernels = best_kernels());

  const ModelInfo& info() const override { return info_; }
  Stage run_stage(std::int32_t stage, std::span<const Row> rows) override;

 private:
  /// Indices into the matrices that stages may share.
  struct StageWeights {
    std::size_t projection, embedding, head, norm;
  };
  struct Norm {
    std::vector<float> scale, shift;
  };

  void load(const WeightSource& weights);
  void read_states(int rank);
  void add_tokens(int rank);
  void activate(int row);
  void multiply(int rank, const PackedMatrix& matrix, std::vector<float>& out);
  void* input(std::int64_t row, std::int32_t width);

  MlpSpeculatorConfig config_;
  ElementType type_;
  std::shared_ptr<ThreadTeam> team_;
  const CpuKernels* kernels_;
  ModelInfo info_;
  float mix_ratio_;                 ///< r, what the embedding is multiplied by
  std::vector<float> input_scale_;  ///< [base_hidden] 1 / sqrt(2) where the input is scaled
  std::vector<std::int32_t> embedding_rows_;
  std::vector<PackedMatrix> projections_, embeddings_, heads_;
  std::vector<Norm> norms_;
  std::vector<StageWeights> stages_;

  std::int32_t stage_ = 0;  ///< of the running call
  std::span<const Row> rows_;
  std::vector<float> inputs_, mixed_, states_, logits_;
};

}  // namespace speclab::engines::cpu
