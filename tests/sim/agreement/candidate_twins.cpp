// Several candidates for one place.

#include <algorithm>
#include <numeric>

#include "sim/analytic/candidates.h"
#include "sim/analytic/one_token.h"
#include "tests/sim/agreement/twin.h"

namespace speclab::testing {
namespace {

using namespace sim;

struct Candidates {
  std::vector<double> p, q;
  int k;
};
Candidates any_candidates(Dice& dice, int most = 3) {
  const int size = dice.integer(3, 6);
  std::vector<double> p = dice.law(size), q = dice.law(size);
  return {std::move(p), std::move(q), dice.integer(1, most)};
}

/// Which of k candidates is kept, or k: each is tested against what the earlier ones left of p.
int kept_candidate(Dice& dice, const Candidates& c, bool with_replacement) {
  std::vector<double> rest = c.p, draft = c.q;
  for (int i = 0; i < c.k; ++i) {
    const std::size_t x = dice.draw(draft);
    if (dice.coin(rest[x] / draft[x])) return i;
    double mass = 0.0;
    for (std::size_t y = 0; y < rest.size(); ++y)
      mass += rest[y] = std::max(0.0, rest[y] - draft[y]);
    for (double& probability : rest) probability /= mass;
    if (with_replacement) continue;
    draft[x] = 0.0;
    const double left = std::accumulate(draft.begin(), draft.end(), 0.0);
    for (double& probability : draft) probability /= left;
  }
  return c.k;
}

bool sample_is_among_drafts(Dice& dice, const Candidates& c, bool with_replacement) {
  const std::size_t sample = dice.draw(c.p);
  std::vector<double> draft = c.q;
  bool found = false;
  for (int i = 0; i < c.k; ++i) {
    const std::size_t x = dice.draw(draft);
    found |= x == sample;
    if (!with_replacement) draft[x] = 0.0;
  }
  return found;
}

bool sample_is_among_the_likeliest(Dice& dice, const Candidates& c) {
  const double own = c.q[dice.draw(c.p)];
  return std::ranges::count_if(c.q, [&](double probability) { return probability > own; }) < c.k;
}

using Closed = double (*)(std::span<const double>, std::span<const double>, int);
using Play = std::function<bool(Dice&, const Candidates&)>;

Twin played(const char* name, Closed closed, Play play) {
  return likely_twin(name, [=](Dice& dice) {
    const Candidates c = any_candidates(dice);
    return relative(closed(c.p, c.q, c.k), [=](Dice& d) { return play(d, c) ? 1.0 : 0.0; });
  });
}

Twin two(const char* name, double (*closed)(std::span<const double>, std::span<const double>),
         Play play) {
  return likely_twin(name, [=](Dice& dice) {
    Candidates c = any_candidates(dice);
    c.k = 2;
    return relative(closed(c.p, c.q), [=](Dice& d) { return play(d, c) ? 1.0 : 0.0; });
  });
}

/// Chance of the first or the second candidate to be the one.
Twin rank(const char* name,
          std::vector<double> (*closed)(std::span<const double>, std::span<const double>, int),
          bool with_replacement) {
  return likely_twin(name, [=](Dice& dice) {
    const Candidates c = any_candidates(dice);
    const auto ranks = closed(c.p, c.q, c.k);
    const auto likeliest = std::ranges::max_element(ranks);
    const auto index = static_cast<int>(likeliest - ranks.begin());
    return relative(*likeliest, [=](Dice& d) {
      return kept_candidate(d, c, with_replacement) == index ? 1.0 : 0.0;
    });
  });
}

/// The draft that k-sequential selection keeps, or none.
std::size_t k_sequential(Dice& dice, const Candidates& c, double rho) {
  for (int i = 0; i < c.k; ++i) {
    const std::size_t x = dice.draw(c.q);
    if (dice.coin(c.p[x] / (rho * c.q[x]))) return x;
  }
  return c.p.size();
}

Setting k_sequential_acceptance(Dice& dice) {
  const Candidates c = any_candidates(dice);
  const double rho = spectr_rho(c.p, c.q, c.k);
  return relative(spectr_acceptance(c.p, c.q, c.k),
                  [=](Dice& d) { return k_sequential(d, c, rho) < c.p.size() ? 1.0 : 0.0; });
}

}  // namespace

std::vector<Twin> candidate_twins() {
  const auto any_kept = [](bool with_replacement) {
    return
        [=](Dice& d, const Candidates& c) { return kept_candidate(d, c, with_replacement) < c.k; };
  };
  return {
      played("naive_sampling_acceptance", naive_sampling_acceptance,
             [](Dice& d, const Candidates& c) { return sample_is_among_drafts(d, c, true); }),
      played("top_k_sampling_acceptance", top_k_sampling_acceptance, sample_is_among_the_likeliest),
      played("multi_step_acceptance", multi_step_acceptance, any_kept(true)),
      played("without_replacement_acceptance", without_replacement_acceptance, any_kept(false)),
      rank("multi_step_rank_acceptance", multi_step_rank_acceptance, true),
      rank("without_replacement_rank_acceptance", without_replacement_rank_acceptance, false),
      two("two_naive_acceptance", two_naive_acceptance,
          [](Dice& d, const Candidates& c) { return sample_is_among_drafts(d, c, false); }),
      two("two_without_replacement_acceptance", two_without_replacement_acceptance,
          any_kept(false)),
      likely_twin("spectr_acceptance", k_sequential_acceptance),
  };
}

}  // namespace speclab::testing
