#pragma once
// MLP speculators in double, small and plain: the truth that an engine's drafter and its trainer
// are compared with.

#include <span>
#include <vector>

namespace speclab::testing {

/// Row by row.
struct Matrix {
  int rows = 0;
  int columns = 0;
  std::vector<double> values;  ///< rows x columns
};

/// One stage's weights.
struct MlpStage {
  Matrix embedding;           ///< E  [V, d]
  Matrix projection;          ///< P  [d, base width] in stage 0, [d, d] later
  Matrix head;                ///< H  [V, d]
  std::vector<double> scale;  ///< g  [d]
  std::vector<double> shift;  ///< s  [d]
};

struct MlpForwardOptions {
  bool scale_input = false;  ///< h_0 = norm(h_0) / sqrt(2)
  double epsilon = 1e-6;     ///< under the root of norm, > 0
};

/// Logits of the last stage that `tokens` reach. From stage to stage z = E token; h = P h + (w_e /
/// w_s) z; h = GELU(g norm(h) + s), with norm(x) = x / sqrt(mean(x^2) + epsilon), which subtracts
/// no mean, and the GELU of the error function; logits = H h.
///
/// @param stages  n >= 1, all of a speculator: the weights w follow from their number
/// @param state   h_0, the base model's hidden state of the last sampled token
/// @param tokens  token_0, the last sampled one, and the drafts so far: 1 to n
/// @throws ContractError if shapes do not fit together or a token is not of the vocabulary
/// @source IBM 2024, released code of the MLP speculator
std::vector<double> mlp_logits(std::span<const MlpStage> stages, std::span<const double> state,
                               std::span<const int> tokens, const MlpForwardOptions& options = {});

/// w_s = 0.5^(0.5/n): the state's share in each stage. After n stages half of the base state's
/// variance is left.
/// @param heads  n >= 1
/// @throws ContractError if an argument is out of range
/// @source IBM 2024, released code of the MLP speculator
double mlp_state_weight(int heads);
/// w_e = sqrt((1 - w_s^2) d / 2): the embedding's. @param inner_size  d >= 1
double mlp_embedding_weight(int heads, int inner_size);
/// w_e / w_s, by which the embedding is multiplied before it is added to the state.
double mlp_mix_ratio(int heads, int inner_size);

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

}  // namespace speclab::testing
