#include "sim/monte_carlo/two_state_process.h"

#include <cmath>
#include <limits>

#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr std::uint32_t kStateDraw = 0;      // position 0 of the sequence's keys
constexpr std::size_t kForgottenMost = 256;  // stretches gone by that are kept

}  // namespace

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
