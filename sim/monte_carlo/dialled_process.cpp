#include "sim/monte_carlo/dialled_process.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "sim/analytic/one_token.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

/// Of the tokens that q gives no less than p does, the one that p gives least. There is one, since
/// both sum to 1.
std::size_t worst_token(std::span<const double> p, std::span<const double> q) {
  std::size_t worst = p.size();
  for (std::size_t token = 0; token < p.size(); ++token)
    if (q[token] >= p[token] && (worst == p.size() || p[token] < p[worst])) worst = token;
  SPECLAB_EXPECT(worst < p.size(), "q is below p everywhere");
  return worst;
}

double dialled_acceptance(std::span<const double> p, std::span<const double> q, double dial) {
  return acceptance_probability(p, dialled_law(p, q, dial));
}

}  // namespace

std::vector<double> dialled_law(std::span<const double> p, std::span<const double> q, double dial) {
  (void)lk_divergence(p, q);  // checks both laws
  SPECLAB_EXPECT(dial >= -1.0 && dial <= 1.0,
                 "dial = " + std::to_string(dial) + "; allowed: -1 to 1");
  const double share = std::abs(dial);
  std::vector<double> law(q.size());
  for (std::size_t token = 0; token < q.size(); ++token)
    law[token] = (1.0 - share) * q[token] + (dial > 0.0 ? share * p[token] : 0.0);
  if (dial < 0.0) law[worst_token(p, q)] += share;
  return law;
}

double dial_for_acceptance(std::span<const double> p, std::span<const double> q,
                           double acceptance_probability) {
  double low = -1.0, high = 1.0;
  const double least = dialled_acceptance(p, q, low);
  SPECLAB_EXPECT(acceptance_probability >= least && acceptance_probability <= 1.0,
                 "acceptance_probability = " + std::to_string(acceptance_probability) +
                     "; a dial reaches " + std::to_string(least) + " to 1");
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = std::midpoint(low, high);
    (dialled_acceptance(p, q, middle) < acceptance_probability ? low : high) = middle;
  }
  return high;
}

DialledProcess::DialledProcess(std::span<const LawPair> pairs, double dial) {
  SPECLAB_EXPECT(!pairs.empty(), "a dialled process needs a pair of laws");
  double total = 0.0;
  for (const LawPair& pair : pairs) {
    const std::vector<double> law = dialled_law(pair.p, pair.q, dial);
    for (std::size_t token = 0; token < law.size(); ++token) {
      if (law[token] <= 0.0) continue;
      levels_.push_back(
          {.acceptance = std::min(1.0, pair.p[token] / law[token]), .confidence = law[token]});
      cumulative_.push_back(total += law[token]);
      acceptance_rate_ += std::min(pair.p[token], law[token]) / static_cast<double>(pairs.size());
    }
  }
}

void DialledProcess::begin(const RngStream& stream, std::uint32_t sequence) {
  stream_ = stream;
  sequence_ = sequence;
}

int DialledProcess::begin_round(std::uint32_t round) {
  round_ = round;
  return kMaxLevels;
}

DraftLevel DialledProcess::level(int index) {
  const double uniform =
      stream_.uniform({sequence_, round_, Purpose::draft, static_cast<std::uint32_t>(index)});
  const auto drawn =
      std::upper_bound(cumulative_.begin(), cumulative_.end(), uniform * cumulative_.back());
  return levels_[std::min(static_cast<std::size_t>(drawn - cumulative_.begin()),
                          levels_.size() - 1)];
}

}  // namespace speclab::sim
