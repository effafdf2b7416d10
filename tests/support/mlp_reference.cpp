#include "tests/support/mlp_reference.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/system/errors.h"

namespace speclab::testing {
namespace {

using namespace sim;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Eigen::VectorXd> vector(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

Eigen::Map<const RowMajor> matrix(const Matrix& values, const char* name, Eigen::Index rows,
                                  Eigen::Index columns) {
  SPECLAB_EXPECT(values.rows == rows && values.columns == columns &&
                     static_cast<Eigen::Index>(values.values.size()) == rows * columns,
                 std::string(name) + " is " + std::to_string(values.rows) + " x " +
                     std::to_string(values.columns) + "; needed here: " + std::to_string(rows) +
                     " x " + std::to_string(columns));
  return {values.values.data(), rows, columns};
}

/// No mean is subtracted.
Eigen::VectorXd normalised(const Eigen::VectorXd& x, double epsilon) {
  return x / std::sqrt(x.squaredNorm() / static_cast<double>(x.size()) + epsilon);
}

double gelu(double x) { return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2)); }

/// The state after one stage.
Eigen::VectorXd next_state(const MlpStage& stage, const Eigen::VectorXd& state, int token,
                           double mix_ratio, double epsilon) {
  const auto d = static_cast<Eigen::Index>(stage.scale.size());
  const auto embedding = matrix(stage.embedding, "an embedding", stage.head.rows, d);
  SPECLAB_EXPECT(token >= 0 && token < stage.embedding.rows,
                 "token " + std::to_string(token) + " is not of the vocabulary");
  SPECLAB_EXPECT(stage.shift.size() == stage.scale.size(), "scale and shift differ in length");
  const Eigen::VectorXd mixed = matrix(stage.projection, "a projection", d, state.size()) * state +
                                mix_ratio * embedding.row(token).transpose();
  const Eigen::VectorXd scaled =
      vector(stage.scale).cwiseProduct(normalised(mixed, epsilon)) + vector(stage.shift);
  return scaled.unaryExpr(&gelu);
}

/// One stage: a parabola up to 1 at the end of the warm-up, or the cosine from 1 to 0.1, whichever
/// is lower.
double stage_multiplier(double step, double steps) {
  const double warm_up = std::min(2000.0, steps / 20.0);
  const double to_go = 1.0 - std::min(step, warm_up) / warm_up;
  return std::min(1.0 - to_go * to_go,
                  0.1 + 0.45 * (1.0 + std::cos(std::numbers::pi * step / steps)));
}

}  // namespace

double mlp_state_weight(int heads) {
  expect_at_least(1, heads, "heads");
  return std::pow(0.5, 0.5 / heads);
}

double mlp_embedding_weight(int heads, int inner_size) {
  expect_at_least(1, inner_size, "inner_size");
  const double state_weight = mlp_state_weight(heads);
  return std::sqrt((1.0 - state_weight * state_weight) * inner_size / 2.0);
}

double mlp_mix_ratio(int heads, int inner_size) {
  return mlp_embedding_weight(heads, inner_size) / mlp_state_weight(heads);
}

std::vector<double> mlp_logits(std::span<const MlpStage> stages, std::span<const double> state,
                               std::span<const int> tokens, const MlpForwardOptions& options) {
  SPECLAB_EXPECT(!state.empty() && !tokens.empty() && tokens.size() <= stages.size(),
                 "needs a state and 1 to as many tokens as stages");
  expect_positive(options.epsilon, "epsilon");
  const auto inner_size = static_cast<int>(stages.front().scale.size());
  const double mix_ratio = mlp_mix_ratio(static_cast<int>(stages.size()), inner_size);
  Eigen::VectorXd h = vector(state);
  if (options.scale_input) h = normalised(h, options.epsilon) / std::numbers::sqrt2;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    h = next_state(stages[i], h, tokens[i], mix_ratio, options.epsilon);
  const Matrix& head = stages[tokens.size() - 1].head;
  const Eigen::VectorXd logits = matrix(head, "a head", head.rows, h.size()) * h;
  return {logits.begin(), logits.end()};
}

double learning_rate_multiplier(int step, const TrainingStages& stages) {
  expect_at_least(1, stages.stage2_start, "stage2_start");
  expect_at_least(stages.stage2_start + 1LL, stages.total, "total");
  SPECLAB_EXPECT(
      step >= 0 && step <= stages.total,
      "step = " + std::to_string(step) + "; allowed: 0 to " + std::to_string(stages.total));
  if (step <= stages.stage2_start) return stage_multiplier(step, stages.stage2_start);
  return 0.1 * stage_multiplier(step - stages.stage2_start, stages.total - stages.stage2_start);
}

}  // namespace speclab::testing
