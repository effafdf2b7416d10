#include "sim/analytic/cross_tokenizer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

double ratio(long long part, long long whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void RunCounts::expect_valid() const {
  expect_at_least(1, rounds, "rounds");
  expect_at_least(0, accepted, "accepted");
  expect_at_least(0, hit_rounds, "hit_rounds");
  SPECLAB_EXPECT(hit_rounds <= std::min(rounds, accepted),
                 std::to_string(hit_rounds) + " hit_rounds; allowed: at most rounds and accepted");
  SPECLAB_EXPECT((hit_rounds == 0) == (accepted == 0),
                 "tokens are accepted in hit_rounds, and only there");
  SPECLAB_EXPECT(
      generated_tokens >= rounds && generated_tokens <= rounds + accepted,
      std::to_string(generated_tokens) + " generated_tokens; allowed: rounds to rounds + accepted");
}

double tokens_per_round_measured(const RunCounts& counts) {
  counts.expect_valid();
  return ratio(counts.generated_tokens, counts.rounds);
}

double round_hit_rate(const RunCounts& counts) {
  counts.expect_valid();
  return ratio(counts.hit_rounds, counts.rounds);
}

double accepted_per_hit_round(const RunCounts& counts) {
  counts.expect_valid();
  expect_at_least(1, counts.hit_rounds, "hit_rounds");
  return ratio(counts.accepted, counts.hit_rounds);
}

double round_cost_from_speedup(double tokens_per_round, double speedup) {
  SPECLAB_EXPECT(tokens_per_round >= 1.0 && std::isfinite(tokens_per_round),
                 "tokens_per_round = " + std::to_string(tokens_per_round) + "; allowed: >= 1");
  expect_positive(speedup, "speedup");
  return tokens_per_round / speedup;
}

}  // namespace speclab::sim
