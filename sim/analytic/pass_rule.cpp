#include "sim/analytic/pass_rule.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/analytic/arguments.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr int kSet = 8;  ///< rows that one tensor-core product takes
constexpr int kFitted = 5;
constexpr double kBytesPerValue = 2.0;

/// Keys that the warps of one block of attention read: 32 each, 16 warps at 64 wide heads and 8 at
/// 128 (engines/cuda/forward_state.h).
int keys_of_block(int head_width) { return head_width > 64 ? 256 : 512; }

double reading_us(const PassRule& rule, const PassShape& shape, int context) {
  return shape.read_bytes(context) / rule.read_gb_per_s / 1e3;
}

/// Of one row, without the layers' latency.
double known_us(const PassRule& rule, const PassShape& shape, const PassLoad& load) {
  const double join = shape.is_joined(load.rows, load.context) ? 0.0 : rule.join_us;
  return reading_us(rule, shape, load.context) + rule.ends_us - shape.sizes.layers * join;
}

/// By what each fitted constant is multiplied, in the order of their fields.
std::array<double, kFitted> terms(const PassRule& rule, const PassShape& shape,
                                  const PassLoad& load) {
  const double layers = shape.sizes.layers, bytes_us = reading_us(rule, shape, load.context),
               further = load.rows - 1, second = std::max(0, load.rows - kSet);
  return {layers, further * bytes_us, further * layers, second > 0 ? layers : 0.0,
          second * bytes_us};
}

void expect_load(const PassLoad& load) {
  expect_at_least(1, load.rows, "rows");
  expect_at_least(load.rows, kMostRuleRows, "most rows of the rule");
  expect_at_least(0, load.context, "context");
}

}  // namespace

double PassShape::read_bytes(int context) const {
  const ModelShape model = sizes.model_shape(kBytesPerValue);
  return model.weight_bytes + model.kv_bytes_per_token * context;
}

bool PassShape::is_joined(int rows, int context) const {
  return context + rows > keys_of_block(head_width);
}

double PassRule::pass_us(const PassShape& shape, const PassLoad& load) const {
  expect_load(load);
  const std::array<double, kFitted> by = terms(*this, shape, load);
  return known_us(*this, shape, load) + by[0] * layer_us + by[1] * activations + by[2] * row_us +
         by[3] * second_us + by[4] * second_activations;
}

PassRule fitted_pass_rule(const PassRule& measured_apart, std::span<const TimedPass> passes) {
  const auto count = static_cast<Eigen::Index>(passes.size());
  expect_at_least(kFitted, count, "passes");
  Eigen::MatrixXd all(count, kFitted);
  Eigen::VectorXd rest(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const TimedPass& pass = passes[static_cast<std::size_t>(i)];
    expect_load(pass.load);
    expect_positive(pass.us, "us");
    const std::array<double, kFitted> by = terms(measured_apart, pass.shape, pass.load);
    for (Eigen::Index j = 0; j < kFitted; ++j)
      all(i, j) = by[static_cast<std::size_t>(j)] / pass.us;
    rest(i) = 1.0 - known_us(measured_apart, pass.shape, pass.load) / pass.us;
  }
  const auto solver = all.colPivHouseholderQr();
  SPECLAB_EXPECT(solver.rank() == kFitted, "passes whose loads tell the constants apart");
  const Eigen::VectorXd best = solver.solve(rest);
  PassRule rule = measured_apart;
  rule.layer_us = best(0), rule.activations = best(1), rule.row_us = best(2);
  rule.second_us = best(3), rule.second_activations = best(4);
  return rule;
}

void PassErrors::add(int rows, double error) {
  double& largest = rows <= 4 ? four_rows : rows <= 8 ? eight_rows : sixteen_rows;
  largest = std::max(largest, std::abs(error));
}

std::vector<LeftOutPass> left_out_passes(const PassRule& measured_apart,
                                         std::span<const std::vector<TimedPass>> groups) {
  std::vector<LeftOutPass> result;
  for (std::size_t left_out = 0; left_out < groups.size(); ++left_out) {
    std::vector<TimedPass> others;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (i != left_out) others.insert(others.end(), groups[i].begin(), groups[i].end());
    const PassRule rule = fitted_pass_rule(measured_apart, others);
    for (const TimedPass& pass : groups[left_out])
      result.push_back({pass, left_out, rule.pass_us(pass.shape, pass.load)});
  }
  return result;
}

PassErrors largest_errors(std::span<const LeftOutPass> passes) {
  PassErrors errors;
  for (const LeftOutPass& at : passes) errors.add(at.pass.load.rows, at.error());
  return errors;
}

}  // namespace speclab::sim
