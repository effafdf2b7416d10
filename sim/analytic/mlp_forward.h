#pragma once
// The forward of an MLP speculator in double, small and plain: the truth that an engine's drafter
// is compared with.

#include <span>
#include <vector>

namespace speclab::sim {

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

}  // namespace speclab::sim
