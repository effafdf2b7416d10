#include "sim/monte_carlo/dialled_process.h"

#include <algorithm>

#include "sim/monte_carlo/dialled_law.h"
#include "sim/system/errors.h"

namespace speclab::sim {

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
