// Chains: tokens of a round, rounds of a generation, and what both cost.

#include <algorithm>

#include "sim/analytic/acceptance_mixtures.h"
#include "sim/analytic/generation.h"
#include "sim/analytic/metrics.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "tests/sim/agreement/twin.h"
#include "tests/support/surface_speedup.h"

namespace speclab::testing {
namespace {

using namespace sim;

struct Chain {
  double alpha;
  int gamma;
  double tokens(Dice& dice) const { return 1.0 + accepted_run(dice, alpha, gamma); }
  double mean() const { return tokens_per_round(alpha, gamma); }
};
Chain any_chain(Dice& dice) { return {dice.between(0.3, 0.97), dice.integer(1, 8)}; }

std::vector<double> any_conditionals(Dice& dice) {
  std::vector<double> conditional(static_cast<std::size_t>(dice.integer(1, 6)));
  for (double& acceptance : conditional) acceptance = dice.between(0.2, 0.98);
  return conditional;
}

double tokens_of(Dice& dice, const std::vector<double>& conditional) {
  double tokens = 1.0;
  for (const double acceptance : conditional) {
    if (!dice.coin(acceptance)) break;
    ++tokens;
  }
  return tokens;
}

int rounds_of(Dice& dice, const Chain& chain, int tokens) {
  int rounds = 0;
  for (double left = tokens; left > 0; left -= chain.tokens(dice)) ++rounds;
  return rounds;
}

/// A speed-up S: what a round saves less S times what it costs is 0 in the mean.
Setting speedup_setting(const Chain& chain, double speedup, double round_cost) {
  return {0.0, chain.mean(), [=](Dice& dice) { return chain.tokens(dice) - speedup * round_cost; }};
}

Setting likeliest_count(Dice& dice) {
  const Chain chain = any_chain(dice);
  const auto pmf = tokens_per_round_pmf(chain.alpha, chain.gamma);
  const auto likeliest = std::ranges::max_element(pmf);
  const double tokens = 1.0 + static_cast<double>(likeliest - pmf.begin());
  return relative(*likeliest, [=](Dice& d) { return chain.tokens(d) == tokens ? 1.0 : 0.0; });
}

Setting mixture(Dice& dice) {
  const double a = dice.between(0.8, 8.0), b = dice.between(0.5, 4.0);
  const int gamma = dice.integer(1, 8);
  return relative(tokens_per_round_beta_mixture(a, b, gamma),
                  [=](Dice& d) { return 1.0 + accepted_run(d, d.beta(a, b), gamma); });
}

/// Easy and hard places of a text that begins anywhere; 60 rounds after the first 60.
Setting two_states(Dice& dice) {
  const TwoStateAcceptance places{{dice.between(0.7, 0.97), dice.between(0.1, 0.6)},
                                  dice.between(0.15, 0.5),
                                  dice.between(0.15, 0.5)};
  const int gamma = dice.integer(1, 6);
  return relative(tokens_per_round_two_state(places, gamma), [=](Dice& d) {
    std::size_t state = d.coin(places.easy_share()) ? 0 : 1;
    const auto next_place = [&] {
      if (d.coin(state == 0 ? places.easy_to_hard : places.hard_to_easy)) state = 1 - state;
    };
    double tokens = 0.0;
    for (int round = 0; round < 120; ++round) {
      int accepted = 0;
      while (accepted < gamma && d.coin(places.acceptance_rate[state])) ++accepted, next_place();
      next_place();  // the recovered or the bonus token's
      if (round >= 60) tokens += accepted + 1;
    }
    return tokens / 60.0;
  });
}

Setting rounds_of_a_generation(Dice& dice) {
  const Chain chain = any_chain(dice);
  const int tokens = dice.integer(4, 20);
  return relative(expected_rounds(tokens_per_round_pmf(chain.alpha, chain.gamma), tokens),
                  [=](Dice& d) { return rounds_of(d, chain, tokens); });
}

Setting median_rounds(Dice& dice) {
  const Chain chain = any_chain(dice);
  const int tokens = dice.integer(4, 10);
  const auto law = rounds_law(tokens_per_round_pmf(chain.alpha, chain.gamma), tokens);
  const int median = rounds_quantile(law, 0.5);
  double at_most = 0.0;
  for (int r = 0; r <= median; ++r) at_most += law[static_cast<std::size_t>(r)];
  return relative(at_most,
                  [=](Dice& d) { return rounds_of(d, chain, tokens) <= median ? 1.0 : 0.0; });
}

Setting speed_of_sequences(Dice& dice) {
  const Chain chain = any_chain(dice);
  const int tokens = dice.integer(5, 30);
  const LoopTimes times{.draft_ns = dice.between(1e5, 1e6), .target_ns = dice.between(1e6, 1e7)};
  const double speed = sequence_speeds(chain.alpha, chain.gamma, times, tokens).mean_tokens_per_s;
  const double loop_s = (chain.gamma * times.draft_ns + times.target_ns) * 1e-9;
  return {0.0, static_cast<double>(tokens),
          [=](Dice& d) { return tokens - speed * loop_s * rounds_of(d, chain, tokens); }};
}

/// The mean squared distance from the mean time is the square of the deviation.
Setting spread_of_sequences(Dice& dice) {
  const Chain chain{dice.between(0.3, 0.9), dice.integer(1, 8)};
  const int tokens = dice.integer(5, 30);
  const LoopTimes times{.draft_ns = dice.between(1e5, 1e6), .target_ns = dice.between(1e6, 1e7)};
  const SequenceTime time = sequence_time(chain.alpha, chain.gamma, times, tokens);
  const double loop_ns = chain.gamma * times.draft_ns + times.target_ns;
  return relative(time.deviation_ns * time.deviation_ns, [=](Dice& d) {
    const double distance = loop_ns * rounds_of(d, chain, tokens) - time.mean_ns;
    return distance * distance;
  });
}

Setting plain_speedup(Dice& dice) {
  const Chain chain = any_chain(dice);
  const double c = dice.between(0.0, 0.3);
  return speedup_setting(chain, predicted_speedup(chain.alpha, chain.gamma, c),
                         1.0 + c * chain.gamma);
}

Setting full_speedup(Dice& dice) {
  const Chain chain = any_chain(dice);
  const RelativeCosts costs{dice.between(0.0, 0.3), dice.between(1.0, 1.6), dice.between(0.0, 0.1)};
  return speedup_setting(
      chain, predicted_speedup(chain.alpha, chain.gamma, costs),
      costs.verify_cost_ratio + costs.overhead_ratio + costs.cost_ratio * chain.gamma);
}

Setting surface_speedup(Dice& dice) {
  const Chain chain = any_chain(dice);
  const double step = dice.between(5.0, 9.0), draft = dice.between(0.2, 2.0),
               rest = dice.between(0.0, 0.4), row = dice.between(0.05, 0.3);
  std::vector<CostPoint> points;
  const auto add = [&](CostKind kind, int rows, double ns) {
    points.push_back({kind, rows, 0, ns, ns, ns, 30});
  };
  for (const int rows : {1, 9})
    add(CostKind::target, rows, step + row * (rows - 1)), add(CostKind::overhead, rows, rest);
  for (const int levels : {1, 8}) add(CostKind::draft, levels, draft * levels);
  const double round = step + row * chain.gamma + draft * chain.gamma + rest;
  return speedup_setting(chain, predicted_speedup(chain.alpha, chain.gamma, CostSurface(points), 0),
                         round / (step + rest));
}

Setting operations(Dice& dice) {
  const Chain chain = any_chain(dice);
  const double ratio = dice.between(0.0, 0.5), done = chain.gamma * ratio + chain.gamma + 1;
  const double factor = operations_factor(chain.alpha, chain.gamma, ratio);
  return {0.0, done, [=](Dice& d) { return done - factor * chain.tokens(d); }};
}

Setting reads(Dice& dice) {
  const Chain chain = any_chain(dice);
  const double per_token = target_reads_per_token(chain.alpha, chain.gamma);
  return {0.0, 1.0, [=](Dice& d) { return 1.0 - per_token * chain.tokens(d); }};
}

Setting bytes(Dice& dice) {
  const Chain chain = any_chain(dice);
  const sim::ReadBytes read{dice.between(1e9, 2e9), dice.between(1e7, 2e8)};
  const double per_token = bytes_per_token(chain.alpha, chain.gamma, read),
               of_round = read.target_bytes + chain.gamma * read.draft_bytes;
  return {0.0, of_round, [=](Dice& d) { return of_round - per_token * chain.tokens(d); }};
}

Setting oracle(Dice& dice) {
  const double alpha = dice.between(0.2, 0.9), c = dice.between(0.0, 0.3),
               speedup = oracle_speedup(alpha, c);
  return {0.0, oracle_tokens_per_round(alpha), [=](Dice& d) {
            const int run = accepted_run(d, alpha, 1 << 20);
            return 1.0 + run - speedup * (1.0 + c * run);
          }};
}

Setting oracle_tokens(Dice& dice) {
  const double alpha = dice.between(0.2, 0.9);
  return relative(oracle_tokens_per_round(alpha),
                  [=](Dice& d) { return 1.0 + accepted_run(d, alpha, 1 << 20); });
}

/// α of a round turned into another count of it, which is played.
Setting converted(Dice& dice) {
  const Chain chain = any_chain(dice);
  const bool hits = dice.coin(0.5);
  const double value = convert_round_quantity(
      chain.alpha, RoundQuantity::acceptance_rate,
      hits ? RoundQuantity::round_hit_rate : RoundQuantity::accepted_fraction, chain.gamma);
  return relative(value, [=](Dice& d) {
    const double accepted = chain.tokens(d) - 1.0;
    return hits ? (accepted > 0 ? 1.0 : 0.0) : accepted / chain.gamma;
  });
}

Setting found_from_tokens(Dice& dice) {
  const int gamma = dice.integer(1, 8);
  const double tokens = 1.0 + dice.between(0.4, 0.9) * gamma;
  const Chain chain{acceptance_rate_from_tokens_per_round(tokens, gamma), gamma};
  return relative(tokens, [=](Dice& d) { return chain.tokens(d); });
}

}  // namespace

std::vector<Twin> chain_twins() {
  return {
      {"tokens_per_round",
       [](Dice& d) {
         const Chain chain = any_chain(d);
         return relative(chain.mean(), [=](Dice& e) { return chain.tokens(e); });
       }},
      {"tokens_per_round_from_conditional",
       [](Dice& d) {
         const auto each = any_conditionals(d);
         return relative(tokens_per_round_from_conditional(each),
                         [=](Dice& e) { return tokens_of(e, each); });
       }},
      {"tokens_per_round_pmf", likeliest_count},
      {"accepted_fraction",
       [](Dice& d) {
         const Chain chain = any_chain(d);
         return relative(accepted_fraction(chain.alpha, chain.gamma),
                         [=](Dice& e) { return (chain.tokens(e) - 1.0) / chain.gamma; });
       }},
      {"tokens_per_round_beta_mixture", mixture},
      {"tokens_per_round_two_state", two_states},
      {"expected_rounds", rounds_of_a_generation},
      {"rounds_law", median_rounds},
      {"sequence_speeds", speed_of_sequences},
      {"sequence_time", spread_of_sequences},
      {"predicted_speedup", plain_speedup},
      {"predicted_speedup_with_verify_cost", full_speedup},
      {"predicted_speedup_of_a_surface", surface_speedup},
      {"operations_factor", operations},
      {"target_reads_per_token", reads},
      {"bytes_per_token", bytes},
      {"oracle_speedup", oracle},
      {"oracle_tokens_per_round", oracle_tokens},
      {"convert_round_quantity", converted},
      {"acceptance_rate_from_tokens_per_round", found_from_tokens},
  };
}

}  // namespace speclab::testing
