#include "sim/analytic/block_verification.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/analytic/arguments.h"
#include "sim/analytic/one_token.h"
#include "sim/analytic/tokens_per_round.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kMostChains = 1e7;

/// The chain after `tokens` in the order of an odometer; false after the last.
bool advance(std::vector<Token>& tokens, std::size_t vocab_size) {
  for (Token& token : tokens) {
    if (static_cast<std::size_t>(++token) < vocab_size) return true;
    token = 0;
  }
  return false;
}

double mean_of(std::span<const double> length_law) {
  double mean = 0.0;
  for (std::size_t length = 1; length < length_law.size(); ++length)
    mean += static_cast<double>(length) * length_law[length];
  return mean;
}

}  // namespace

std::vector<double> block_length_law(std::span<const std::vector<double>> target_laws,
                                     std::span<const std::vector<double>> draft_laws,
                                     std::span<const Token> tokens) {
  SPECLAB_EXPECT(draft_laws.size() == tokens.size() && target_laws.size() >= tokens.size(),
                 "needs a law of p and one of q for each token");
  std::vector<double> kept;
  double joint = 1.0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto token = static_cast<std::size_t>(tokens[i]);
    joint = std::min(1.0, joint * target_laws[i][token] / draft_laws[i][token]);
    if (i + 1 == tokens.size()) {
      kept.push_back(joint);
      break;
    }
    const double surplus = sum_over(target_laws[i + 1], draft_laws[i + 1], [&](double a, double b) {
      return std::max(0.0, joint * a - b);
    });
    kept.push_back(surplus > 0.0 ? surplus / (surplus + (1.0 - joint)) : 0.0);
  }
  std::vector<double> law(tokens.size() + 1);
  double none_after = 1.0;
  for (std::size_t i = tokens.size(); i > 0; --i) {
    law[i] = kept[i - 1] * none_after;
    none_after *= 1.0 - kept[i - 1];
  }
  law[0] = none_after;
  return law;
}

double block_verification_accepted(std::span<const double> p, std::span<const double> q,
                                   int speculation_length) {
  expect_pair(p, q);
  expect_at_least(0, speculation_length, "speculation_length");
  SPECLAB_EXPECT(std::pow(static_cast<double>(p.size()), speculation_length) <= kMostChains,
                 std::to_string(p.size()) + " tokens to the power " +
                     std::to_string(speculation_length) + " chains; allowed: at most 1e7");
  const auto length = static_cast<std::size_t>(speculation_length);
  const std::vector<std::vector<double>> target_laws(length, {p.begin(), p.end()}),
      draft_laws(length, {q.begin(), q.end()});
  std::vector<Token> tokens(length, 0);
  double accepted = 0.0;
  do {
    double drawn = 1.0;
    for (const Token token : tokens) drawn *= q[static_cast<std::size_t>(token)];
    if (drawn > 0.0) accepted += drawn * mean_of(block_length_law(target_laws, draft_laws, tokens));
  } while (advance(tokens, p.size()));
  return accepted;
}

double token_verification_accepted(std::span<const double> p, std::span<const double> q,
                                   int speculation_length) {
  return tokens_per_round(std::min(1.0, acceptance_probability(p, q)), speculation_length) - 1.0;
}

}  // namespace speclab::sim
