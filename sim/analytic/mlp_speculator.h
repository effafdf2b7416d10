#pragma once
// MLP speculators: heads on the base model's last hidden state, each fed with the token before it.

#include <span>
#include <vector>

namespace speclab::sim {

struct MlpSpeculatorShape {
  int base_hidden_size = 4096;  ///< E, width of the base model's hidden state, >= 1
  int vocab = 32000;            ///< V >= 1
  int heads = 3;                ///< n >= 1
  int inner_size = 4096;        ///< d >= 1
  bool tied = false;  ///< one embedding, head and normalisation for all stages, one projection for
                      ///< all but the first

  /// @throws ContractError naming the field out of range
  void expect_valid() const;
};

/// Weights: untied n (2 V d + 2 d) + E d + (n - 1) d^2; tied 2 V d + E d + d^2 + 2 d, without the
/// d^2 for a single head, which has no second stage.
/// @throws ContractError if a field is out of range
/// @source IBM 2024, released code of the MLP speculator
long long mlp_parameters(const MlpSpeculatorShape& shape);

/// w_s = 0.5^(0.5/n): the state's share in each stage. After n stages half of the base state's
/// variance is left.
/// @param heads  n >= 1
/// @throws ContractError if an argument is out of range
/// @source as mlp_parameters
double mlp_state_weight(int heads);
/// w_e = sqrt((1 - w_s^2) d / 2): the embedding's. @param inner_size  d >= 1
double mlp_embedding_weight(int heads, int inner_size);
/// w_e / w_s, by which the embedding is multiplied before it is added to the state.
double mlp_mix_ratio(int heads, int inner_size);

/// Suffixes that the heads propose together: the product of what each keeps.
/// @param top_k_per_head  each >= 1
/// @throws ContractError if an entry is below 1 or the product above 2^31 - 1
/// @source IBM 2024, blog on MLP speculators: 5, 3, 2
int candidate_suffixes(std::span<const int> top_k_per_head);

/// Length of the two stages of training, in steps.
struct TrainingStages {
  int stage2_start = 15000;  ///< steps of stage 1, >= 1
  int total = 21000;         ///< > stage2_start
};

/// Factor of the learning rate. Stage 1, w = min(2000, n1/20), falls on a cosine from 1 to 0.1
/// after a parabolic warm-up; stage 2 the same at a tenth, w = min(2000, n2/20): it drops to 0 and
/// warms up again at the switch.
/// @param step  0 to total; stage2_start is the last of stage 1
/// @throws ContractError if an argument is out of range
/// @source IBM 2024, released training script
double learning_rate_multiplier(int step, const TrainingStages& stages);

}  // namespace speclab::sim
