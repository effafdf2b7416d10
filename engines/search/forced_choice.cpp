#include "engines/search/forced_choice.h"

#include <algorithm>

namespace speclab::engines {
namespace {

/// In float, as transformers computes it: what it cannot tell apart stays in order.
float merit(const ForcedCandidate& one) {
  return static_cast<float>(one.progress * 100) + static_cast<float>(one.candidate.log_probability);
}

/// The place of each candidate in the run of candidates with its progress.
std::vector<std::size_t> places_in_runs(const std::vector<ForcedCandidate>& sorted) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    places.push_back(i > 0 && sorted[i].progress == sorted[i - 1].progress ? places.back() + 1 : 0);
  return places;
}

}  // namespace

std::vector<Candidate> chosen_in_turn(std::vector<ForcedCandidate> candidates, std::size_t count) {
  std::ranges::stable_sort(candidates, std::ranges::greater{}, merit);
  const std::vector<std::size_t> places = places_in_runs(candidates);
  std::vector<Candidate> chosen;
  for (std::size_t place = 0; place < candidates.size(); ++place)
    for (std::size_t i = 0; i < candidates.size() && chosen.size() < count; ++i)
      if (places[i] == place) chosen.push_back(candidates[i].candidate);
  return chosen;
}

}  // namespace speclab::engines
