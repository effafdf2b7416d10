#include "sim/monte_carlo/acceptance_process.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

/// Uniforms of one sequence, in (0, 1], each by a key of its own.
class SequenceUniforms {
 public:
  SequenceUniforms(const RngStream& stream, std::uint32_t sequence)
      : stream_(stream), sequence_(sequence) {}
  double next() { return 1.0 - stream_.uniform({sequence_, position_++, Purpose::accept, 0}); }

 private:
  const RngStream& stream_;
  std::uint32_t sequence_;
  std::uint32_t position_ = 0;
};

/// @source Box and Muller 1958
double normal(SequenceUniforms& uniforms) {
  const double radius = std::sqrt(-2.0 * std::log(uniforms.next()));
  return radius * std::cos(2.0 * std::numbers::pi * uniforms.next());
}

/// Logarithm of a gamma variate, which itself may be too small to be told from 0.
/// @source Marsaglia and Tsang 2000, "A simple method for generating gamma variables"; below 1 by
/// the power of a uniform
double log_gamma_variate(double shape, SequenceUniforms& uniforms) {
  if (shape < 1.0) {
    const double boost = std::log(uniforms.next()) / shape;
    return log_gamma_variate(shape + 1.0, uniforms) + boost;
  }
  const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal(uniforms), root = 1.0 + c * x, v = root * root * root;
    const double u = uniforms.next();
    if (v > 0.0 && std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return std::log(d * v);
  }
}

constexpr std::uint32_t kStateDraw = 0;      // position 0 of the sequence's keys
constexpr std::size_t kForgottenMost = 256;  // stretches gone by that are kept

}  // namespace

PositionProcess::PositionProcess(std::vector<double> conditional_acceptance)
    : conditional_acceptance_(std::move(conditional_acceptance)) {
  SPECLAB_EXPECT(!conditional_acceptance_.empty(), "conditional_acceptance is empty");
  for (const double acceptance : conditional_acceptance_)
    SPECLAB_EXPECT(acceptance >= 0.0 && acceptance <= 1.0,
                   "conditional_acceptance = " + std::to_string(acceptance) + "; allowed: 0 to 1");
}

DraftLevel PositionProcess::level(int index) {
  const double acceptance = conditional_acceptance_[std::min(static_cast<std::size_t>(index),
                                                             conditional_acceptance_.size() - 1)];
  return {.acceptance = acceptance, .confidence = acceptance};
}

void BetaParameters::validate() const {
  SPECLAB_EXPECT(a > 0.0 && std::isfinite(a) && b > 0.0 && std::isfinite(b),
                 "beta law with a = " + std::to_string(a) + ", b = " + std::to_string(b) +
                     "; allowed: positive and finite");
}

BetaProcess::BetaProcess(const BetaParameters& parameters) : parameters_(parameters) {
  parameters_.validate();
}

void BetaProcess::begin(const RngStream& stream, std::uint32_t sequence) {
  SequenceUniforms uniforms(stream, sequence);
  const double log_accepted = log_gamma_variate(parameters_.a, uniforms);
  acceptance_rate_ =
      1.0 / (1.0 + std::exp(log_gamma_variate(parameters_.b, uniforms) - log_accepted));
}

TwoStateProcess::TwoStateProcess(const TwoStateAcceptance& places)
    : places_(places),
      easy_share_(places.easy_share()),
      log_stay_{std::log1p(-places.easy_to_hard), std::log1p(-places.hard_to_easy)} {}

void TwoStateProcess::begin(const RngStream& stream, std::uint32_t sequence) {
  stream_ = stream;
  sequence_ = sequence;
  sojourns_.clear();
  front_ = 0;
  const double uniform = stream.uniform({sequence, kStateDraw, Purpose::accept, 0});
  first_state_ = uniform < easy_share_ ? 0 : 1;
  next_sojourn_ = 0;
}

int TwoStateProcess::draw_sojourn(std::uint32_t sojourn) const {
  const std::size_t state = (first_state_ + sojourns_.size() - front_) % 2;
  const double uniform = stream_.uniform({sequence_, sojourn + 1, Purpose::accept, 0});
  const double tokens = 1.0 + std::floor(std::log1p(-uniform) /
                                         log_stay_[state]);  // a chance of leaving of 1 makes it 1
  constexpr int kForever = std::numeric_limits<int>::max();
  return tokens < kForever ? static_cast<int>(tokens) : kForever;
}

DraftLevel TwoStateProcess::level(int index) {
  std::size_t stretch = front_;
  for (;; index -= sojourns_[stretch++]) {
    if (stretch == sojourns_.size()) sojourns_.push_back(draw_sojourn(next_sojourn_++));
    if (index < sojourns_[stretch]) break;
  }
  const double acceptance = places_.acceptance_rate[(first_state_ + stretch - front_) % 2];
  return {.acceptance = acceptance, .confidence = acceptance};
}

void TwoStateProcess::advance(int emitted) {
  while (emitted > 0) {
    if (front_ == sojourns_.size()) sojourns_.push_back(draw_sojourn(next_sojourn_++));
    if (emitted < sojourns_[front_]) {
      sojourns_[front_] -= emitted;
      break;
    }
    emitted -= sojourns_[front_++];
    first_state_ = 1 - first_state_;
  }
  if (front_ < kForgottenMost) return;
  sojourns_.erase(sojourns_.begin(), sojourns_.begin() + static_cast<std::ptrdiff_t>(front_));
  front_ = 0;
}

}  // namespace speclab::sim
