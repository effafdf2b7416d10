#include "sim/analytic/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/analytic/arguments.h"
#include "sim/analytic/speedup.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr std::array<std::pair<RoundQuantity, const char*>, 5> kNames{
    {{RoundQuantity::tokens_per_round, "tokens_per_round"},
     {RoundQuantity::accepted_per_round, "accepted_per_round"},
     {RoundQuantity::accepted_fraction, "accepted_fraction"},
     {RoundQuantity::acceptance_rate, "acceptance_rate"},
     {RoundQuantity::round_hit_rate, "round_hit_rate"}}};

double seconds_per_token(const RunTotals& totals) {
  expect_positive(totals.seconds, "seconds");
  expect_positive(totals.tokens, "tokens");
  return totals.seconds / totals.tokens;
}

bool is_a_rate(RoundQuantity quantity) {
  return quantity == RoundQuantity::acceptance_rate || quantity == RoundQuantity::round_hit_rate;
}

double to_tokens_per_round(double value, RoundQuantity from, int speculation_length) {
  if (is_a_rate(from))
    return tokens_per_round(value, speculation_length);  // the first draft's chance is the rate
  const double tokens = from == RoundQuantity::tokens_per_round ? value
                        : from == RoundQuantity::accepted_per_round
                            ? value + 1.0
                            : value * speculation_length + 1.0;
  SPECLAB_EXPECT(tokens >= 1.0 && tokens <= speculation_length + 1.0,
                 std::string(to_string(from)) + " = " + std::to_string(value) + " stands for " +
                     std::to_string(tokens) + " tokens a round; allowed: 1 to " +
                     std::to_string(speculation_length + 1));
  return tokens;
}

double ratio(long long part, long long whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double speedup(const RunTotals& plain, const RunTotals& speculative) {
  return seconds_per_token(plain) / seconds_per_token(speculative);
}

double accepted_fraction_from_tokens_per_round(double tokens, int drafted) {
  expect_at_least(1, drafted, "drafted");
  return (to_tokens_per_round(tokens, RoundQuantity::tokens_per_round, drafted) - 1.0) / drafted;
}

const char* to_string(RoundQuantity quantity) {
  for (const auto& [known, spelling] : kNames)
    if (known == quantity) return spelling;
  throw_contract_error("a RoundQuantity", __FILE__, __LINE__, "not a RoundQuantity");
}

bool assumes_independence(RoundQuantity from, RoundQuantity to) {
  return from != to && (is_a_rate(from) || is_a_rate(to));
}

double convert_round_quantity(double value, RoundQuantity from, RoundQuantity to,
                              int speculation_length) {
  expect_at_least(1, speculation_length, "speculation_length");
  const double tokens = to_tokens_per_round(value, from, speculation_length);
  switch (to) {
    case RoundQuantity::tokens_per_round:
      return tokens;
    case RoundQuantity::accepted_per_round:
      return tokens - 1.0;
    case RoundQuantity::accepted_fraction:
      return accepted_fraction_from_tokens_per_round(tokens, speculation_length);
    case RoundQuantity::acceptance_rate:
    case RoundQuantity::round_hit_rate:
      return acceptance_rate_from_tokens_per_round(tokens, speculation_length);
  }
  throw_contract_error("a RoundQuantity", __FILE__, __LINE__, "not a RoundQuantity");
}

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
