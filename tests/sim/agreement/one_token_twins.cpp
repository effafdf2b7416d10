// One drafted token, or a block of them, under every rule of verification: how often it stays, and
// what is emitted.

#include <algorithm>
#include <cmath>

#include "sim/analytic/block_verification.h"
#include "sim/analytic/one_token.h"
#include "tests/sim/agreement/twin.h"

namespace speclab::testing {
namespace {

using namespace sim;
using LawOf = std::vector<double>;

struct Laws {
  LawOf p, q;
};
Laws any_laws(Dice& dice, int least = 2, int most = 6) {
  const int size = dice.integer(least, most);
  LawOf p = dice.law(size), q = dice.law(size);
  return {std::move(p), std::move(q)};
}

std::size_t best(const LawOf& law) {
  return static_cast<std::size_t>(std::ranges::max_element(law) - law.begin());
}

/// norm max(0, p - factor q), drawn.
std::size_t draw_rest(Dice& dice, const Laws& laws, double factor) {
  LawOf rest(laws.p.size());
  for (std::size_t x = 0; x < rest.size(); ++x)
    rest[x] = std::max(0.0, laws.p[x] - factor * laws.q[x]);
  return dice.draw(rest);
}

using Test = std::function<bool(Dice&, const Laws&)>;  ///< whether one draft is kept

/// A closed form of one pair of laws, and how a draft is tested.
Twin acceptance(const char* name,
                double (*closed)(std::span<const double>, std::span<const double>), Test kept) {
  return likely_twin(name, [=](Dice& dice) {
    const Laws laws = any_laws(dice);
    return relative(closed(laws.p, laws.q), [=](Dice& d) { return kept(d, laws) ? 1.0 : 0.0; });
  });
}

bool ratio_test(Dice& dice, const Laws& laws) {
  const std::size_t x = dice.draw(laws.q);
  return dice.coin(laws.p[x] / laws.q[x]);
}

Setting lenient_rate(Dice& dice) {
  const Laws laws = any_laws(dice);
  const double l = dice.between(0.2, 1.0);
  return relative(lenient_acceptance_rate(laws.p, laws.q, l), [=](Dice& d) {
    const std::size_t x = d.draw(laws.q);
    return d.coin(laws.p[x] / (l * laws.q[x])) ? 1.0 : 0.0;
  });
}

Setting lenient_output(Dice& dice) {
  const Laws laws = any_laws(dice, 3, 6);
  const double l = dice.between(0.2, 1.0);
  const LenientResidual form = dice.coin(0.5) ? LenientResidual::full : LenientResidual::lenient;
  const LawOf output = lenient_output_distribution(laws.p, laws.q, l, form);
  const std::size_t token = best(output);
  return relative(output[token], [=](Dice& d) {
    std::size_t x = d.draw(laws.q);
    if (!d.coin(laws.p[x] / (l * laws.q[x])))
      x = draw_rest(d, laws, form == LenientResidual::full ? 1.0 : l);
    return x == token ? 1.0 : 0.0;
  });
}

Setting arg_max_lenient(Dice& dice) {
  const Laws laws = any_laws(dice);
  const double l = dice.between(0.3, 1.0), top = *std::ranges::max_element(laws.p);
  return relative(argmax_lenient_acceptance_rate(laws.p, laws.q, l),
                  [=](Dice& d) { return laws.p[d.draw(laws.q)] >= l * top ? 1.0 : 0.0; });
}

Setting typical(Dice& dice) {
  const Laws laws = any_laws(dice);
  double entropy = 0.0;
  for (const double probability : laws.p) entropy -= probability * std::log(probability);
  const double epsilon = dice.between(0.05, 0.2), delta = dice.between(0.2, 0.6),
               threshold = std::min(epsilon, delta * std::exp(-entropy));
  return relative(typical_acceptance(laws.p, laws.q, epsilon, delta),
                  [=](Dice& d) { return laws.p[d.draw(laws.q)] > threshold ? 1.0 : 0.0; });
}

/// Drafts of one block kept by block verification (Sun et al. 2024), played from the end.
double block_run(Dice& dice, const Laws& laws, int gamma) {
  double ratio = 1.0;
  int kept = 0;
  for (int i = 1; i <= gamma; ++i) {
    const std::size_t x = dice.draw(laws.q);
    ratio = std::min(1.0, ratio * laws.p[x] / laws.q[x]);
    double surplus = 0.0;
    for (std::size_t y = 0; y < laws.p.size(); ++y)
      surplus += std::max(0.0, ratio * laws.p[y] - laws.q[y]);
    const double chance = i == gamma                    ? ratio
                          : surplus + 1.0 - ratio > 0.0 ? surplus / (surplus + 1.0 - ratio)
                                                        : 1.0;
    if (dice.coin(chance)) kept = i;
  }
  return kept;
}

Twin block(const char* name,
           double (*closed)(std::span<const double>, std::span<const double>, int),
           double (*run)(Dice&, const Laws&, int)) {
  return likely_twin(name, [=](Dice& dice) {
    const Laws laws = any_laws(dice, 2, 4);
    const int gamma = dice.integer(1, 4);
    return relative(closed(laws.p, laws.q, gamma), [=](Dice& d) { return run(d, laws, gamma); });
  });
}

double token_run(Dice& dice, const Laws& laws, int gamma) {
  int kept = 0;
  while (kept < gamma && ratio_test(dice, laws)) ++kept;
  return kept;
}

}  // namespace

std::vector<Twin> one_token_twins() {
  return {
      acceptance("acceptance_probability", acceptance_probability, ratio_test),
      acceptance("lk_divergence", lk_divergence,
                 [](Dice& d, const Laws& laws) { return !ratio_test(d, laws); }),
      acceptance("sample_match_acceptance_rate", sample_match_acceptance_rate,
                 [](Dice& d, const Laws& laws) { return d.draw(laws.p) == d.draw(laws.q); }),
      acceptance("point_mass_acceptance_rate", point_mass_acceptance_rate,
                 [](Dice& d, const Laws& laws) { return d.draw(laws.p) == best(laws.q); }),
      acceptance("noniterative_acceptance_rate", noniterative_acceptance_rate,
                 [](Dice& d, const Laws& laws) {
                   double most = 0.0;
                   for (std::size_t x = 0; x < laws.p.size(); ++x)
                     most = std::max(most, laws.p[x] / laws.q[x]);
                   const std::size_t x = d.draw(laws.q);
                   return d.coin(laws.p[x] / (most * laws.q[x]));
                 }),
      likely_twin("lenient_acceptance_rate", lenient_rate),
      likely_twin("lenient_output_distribution", lenient_output),
      likely_twin("argmax_lenient_acceptance_rate", arg_max_lenient),
      likely_twin("typical_acceptance", typical),
      block("block_verification_accepted", block_verification_accepted, block_run),
      block("token_verification_accepted", token_verification_accepted, token_run),
  };
}

}  // namespace speclab::testing
