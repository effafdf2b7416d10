#include "sim/monte_carlo/markov_process.h"

#include <cmath>
#include <limits>

#include "sim/core/errors.h"

namespace speclab::sim {
namespace {

constexpr std::uint32_t kStateDraw = 0;      // position 0 of the sequence's keys
constexpr std::size_t kForgottenMost = 256;  // stretches gone by that are kept

void expect_probability(double value, const char* name) {
  SPECLAB_EXPECT(value >= 0.0 && value <= 1.0, std::string(name) + " = " + std::to_string(value) + "; allowed: 0 to 1");
}

}  // namespace

void MarkovParameters::validate() const {
  expect_probability(easy_acceptance, "easy_acceptance");
  expect_probability(hard_acceptance, "hard_acceptance");
  expect_probability(leave_easy, "leave_easy");
  expect_probability(leave_hard, "leave_hard");
  SPECLAB_EXPECT(leave_easy + leave_hard > 0.0, "leave_easy and leave_hard are both 0: the chain has no stationary law");
}

MarkovProcess::MarkovProcess(const MarkovParameters& parameters) 
    : parameters_(parameters), log_stay_easy_(std::log1p(-parameters.leave_easy)), log_stay_hard_(std::log1p(-parameters.leave_hard)) {
  parameters_.validate();
}

void MarkovProcess::begin(const RngStream& stream, std::uint32_t sequence) {
  stream_ = stream;
  sequence_ = sequence;
  sojourns_.clear();
  front_ = 0;
  const double uniform = stream.uniform({sequence, kStateDraw, Purpose::accept, 0});
  first_state_ = uniform < parameters_.easy_share() ? State::easy : State::hard;
  next_sojourn_ = 0;
}

int MarkovProcess::draw_sojourn(std::uint32_t sojourn) const {
  const bool easy = (first_state_ == State::easy) == ((sojourns_.size() - front_) % 2 == 0);
  const double leave = easy ? parameters_.leave_easy : parameters_.leave_hard;
  constexpr double kForever = std::numeric_limits<int>::max();
  if (leave >= 1.0) return 1;
  if (leave <= 0.0) return static_cast<int>(kForever);
  const double uniform = stream_.uniform({sequence_, sojourn + 1, Purpose::accept, 0});
  const double tokens = 1.0 + std::floor(std::log1p(-uniform) / (easy ? log_stay_easy_ : log_stay_hard_));
  return tokens < kForever ? static_cast<int>(tokens) : static_cast<int>(kForever);
}

DraftLevel MarkovProcess::level(int index) {
  State state = first_state_;
  for (std::size_t stretch = front_;; ++stretch) {
    if (stretch == sojourns_.size()) sojourns_.push_back(draw_sojourn(next_sojourn_++));
    if (index < sojourns_[stretch]) break;
    index -= sojourns_[stretch];
    state = state == State::easy ? State::hard : State::easy;
  }
  const double acceptance = state == State::easy ? parameters_.easy_acceptance : parameters_.hard_acceptance;
  return {.acceptance = acceptance, .confidence = acceptance};
}

void MarkovProcess::advance(int emitted) {
  while (emitted > 0) {
    if (front_ == sojourns_.size()) sojourns_.push_back(draw_sojourn(next_sojourn_++));
    if (emitted < sojourns_[front_]) {
      sojourns_[front_] -= emitted;
      break;
    }
    emitted -= sojourns_[front_++];
    first_state_ = first_state_ == State::easy ? State::hard : State::easy;
  }
  if (front_ < kForgottenMost) return;
  sojourns_.erase(sojourns_.begin(), sojourns_.begin() + static_cast<std::ptrdiff_t>(front_));
  front_ = 0;
}

}  // namespace speclab::sim
