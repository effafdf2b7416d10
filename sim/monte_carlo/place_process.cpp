#include "sim/monte_carlo/place_process.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

/// Ratio of neighbouring shares beyond the observed levels, at most: runs have fifty places more in
/// the mean, about as many as the texts that were observed.
constexpr double kLongestRatio = 0.98;
constexpr double kNoRun = 1e-6;  ///< chances below it are none: less than a place in a million

/// S(0) = 1, S(1), ...: as observed, then falling by one ratio.
std::vector<double> continued_survival(const PlaceAcceptance& places) {
  std::vector<double> survival{1.0};
  survival.insert(survival.end(), places.survival.begin(), places.survival.end());
  const double before = survival[survival.size() - 2];
  const double ratio = before > 0.0 ? std::min(survival.back() / before, kLongestRatio) : 0.0;
  while (survival.back() > kNoRun) survival.push_back(survival.back() * ratio);
  survival.push_back(0.0);
  return survival;
}

/// S(1) - S(2), S(2) - S(3), ...: neighbours of which the later is larger have their mean, so that
/// none is larger than the one before and their sum stays.
std::vector<double> pooled_falls(const std::vector<double>& survival) {
  struct Pool {
    double sum = 0;
    std::size_t size = 1;
    double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Pool> pools;
  for (std::size_t length = 1; length + 1 < survival.size(); ++length) {
    Pool last{.sum = survival[length] - survival[length + 1]};
    for (; !pools.empty() && pools.back().mean() < last.mean(); pools.pop_back())
      last = {.sum = last.sum + pools.back().sum, .size = last.size + pools.back().size};
    pools.push_back(last);
  }
  std::vector<double> falls;
  for (const Pool& pool : pools) falls.insert(falls.end(), pool.size, pool.mean());
  return falls;
}

}  // namespace

void PlaceAcceptance::validate() const {
  SPECLAB_EXPECT(!survival.empty(), "survival is empty");
  double before = hit_rate;
  for (const double share : survival) {
    SPECLAB_EXPECT(share >= 0.0 && share <= before && share < 1.0,
                   "survival = " + std::to_string(share) + " after " + std::to_string(before) +
                       "; allowed: falling, from at most the hit rate, below 1");
    before = share;
  }
  SPECLAB_EXPECT(hit_rate <= 1.0, "hit_rate = " + std::to_string(hit_rate));
  SPECLAB_EXPECT(most_levels.value_or(1) >= 1,
                 "most_levels = " + std::to_string(most_levels.value_or(1)));
}

std::vector<double> runs_behind_misses(const PlaceAcceptance& places) {
  places.validate();
  const std::vector<double> survival = continued_survival(places);
  std::vector<double> runs{1.0};
  for (const double fall : pooled_falls(survival))
    runs.push_back(std::min(fall / (1.0 - survival[1]), survival[1]));
  return runs;
}

PlaceProcess::PlaceProcess(const PlaceAcceptance& places)
    : later_runs_(runs_behind_misses(places)),
      chance_of_rejected_draft_((places.hit_rate - places.survival[0]) /
                                (1.0 - places.survival[0])),
      most_levels_(places.most_levels.value_or(kMaxLevels)) {
  first_run_ = continued_survival(places);  // checked above
}

void PlaceProcess::begin(const RngStream& stream, std::uint32_t sequence) {
  stream_ = stream;
  sequence_ = sequence;
  next_run_ = 0;
  draw_run(first_run_);
}

void PlaceProcess::draw_run(const std::vector<double>& at_least) {
  const auto uniform = [&](std::uint32_t which) {
    return stream_.uniform({sequence_, 2 * next_run_ + which, Purpose::accept, 0});
  };
  const double chance = uniform(0);
  kept_ = 0;
  while (static_cast<std::size_t>(kept_) + 1 < at_least.size() &&
         chance < at_least[static_cast<std::size_t>(kept_) + 1])
    ++kept_;
  drafts_ = uniform(1) < chance_of_rejected_draft_;
  ++next_run_;
}

int PlaceProcess::begin_round(std::uint32_t) { return kept_ > 0 || drafts_ ? most_levels_ : 0; }

DraftLevel PlaceProcess::level(int index) {
  return {.acceptance = index < kept_ ? 1.0 : 0.0, .confidence = std::nan("")};
}

void PlaceProcess::advance(int emitted) {
  for (; emitted > kept_; draw_run(later_runs_)) emitted -= kept_ + 1;
  kept_ -= emitted;
}

}  // namespace speclab::sim
