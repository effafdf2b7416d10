#include "sim/monte_carlo/process_fits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "sim/analytic/tokens_per_round.h"
#include "sim/monte_carlo/acceptance_estimates.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

std::string to_text(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                       std::chars_format::general, 6)
                             .ptr};
}

/// count log(rate), 0 where there is nothing to count.
double log_power(double rate, double count) { return count == 0.0 ? 0.0 : count * std::log(rate); }

double akaike(double log_likelihood, int parameters) {
  return 2.0 * parameters - 2.0 * log_likelihood;
}

constexpr double kLeastConcentration = 1e-2, kGreatestConcentration = 1e6;
constexpr int kGrid = 33;         // concentrations tried before the best is refined
constexpr int kRefinements = 60;  // golden sections: the bracket shrinks by 3e-13

double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

/// The argument in [low, high] at which `value` is greatest, which has one peak there.
template <typename Function>
double maximiser(double low, double high, const Function& value) {
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = value(left), at_right = value(right);
  for (int step = 0; step < kRefinements; ++step) {
    if (at_left < at_right) {
      low = left, left = right, at_left = at_right;
      at_right = value(right = low + golden * (high - low));
    } else {
      high = right, right = left, at_right = at_left;
      at_left = value(left = high - golden * (high - low));
    }
  }
  return 0.5 * (low + high);
}

double log_likelihood(ClusterCounts clusters, const BetaParameters& law) {
  double sum = 0.0;
  for (const AcceptanceCounts& cluster : clusters) {
    const double accepted = cluster.accepted(), rejected = cluster.tested() - accepted;
    sum += log_beta(law.a + accepted, law.b + rejected) - log_beta(law.a, law.b);
  }
  return sum;
}

BetaParameters law_of(double mean_logit, double log_concentration) {
  const double mean = 1.0 / (1.0 + std::exp(-mean_logit)),
               concentration = std::exp(log_concentration);
  return {.a = mean * concentration, .b = (1.0 - mean) * concentration};
}

/// The best law of that concentration.
BetaParameters best_law(ClusterCounts clusters, double log_concentration) {
  const auto value = [&](double mean_logit) {
    return log_likelihood(clusters, law_of(mean_logit, log_concentration));
  };
  return law_of(maximiser(-12.0, 12.0, value), log_concentration);
}

void expect_prompts(ClusterCounts clusters) {
  AcceptanceCounts total;
  int prompts = 0;
  for (const AcceptanceCounts& cluster : clusters) {
    total.add(cluster);
    prompts += cluster.tested() > 0.0 ? 1 : 0;
  }
  if (prompts < 2 || total.accepted() == 0.0 || total.accepted() == total.tested())
    throw DataError("a beta law cannot be fitted to " + std::to_string(prompts) + " prompts with " +
                    std::to_string(std::llround(total.accepted())) + " of " +
                    std::to_string(std::llround(total.tested())) +
                    " drafts accepted; it needs two prompts, and drafts of both kinds");
}

}  // namespace

FittedProcess described(const IidFit& fit, int speculation_length) {
  return {.process = "iid",
          .parameters = "acceptance_rate=" + to_text(fit.acceptance_rate),
          .log_likelihood = fit.log_likelihood,
          .akaike_criterion = akaike(fit.log_likelihood, 1),
          .tokens_per_round = tokens_per_round(fit.acceptance_rate, speculation_length)};
}

FittedProcess described(const BetaFit& fit, int speculation_length) {
  return {
      .process = "beta_mixed",
      .parameters = "a=" + to_text(fit.law.a) + ";b=" + to_text(fit.law.b),
      .log_likelihood = fit.log_likelihood,
      .akaike_criterion = akaike(fit.log_likelihood, 2),
      .tokens_per_round = tokens_per_round_beta_mixture(fit.law.a, fit.law.b, speculation_length)};
}

FittedProcess described(const TwoStateFit& fit, int speculation_length) {
  const TwoStateAcceptance& places = fit.places;
  return {.process = "two_state",
          .parameters = "easy=" + to_text(places.acceptance_rate[0]) +
                        ";hard=" + to_text(places.acceptance_rate[1]) +
                        ";easy_to_hard=" + to_text(places.easy_to_hard) +
                        ";hard_to_easy=" + to_text(places.hard_to_easy),
          .log_likelihood = fit.log_likelihood,
          .akaike_criterion = akaike(fit.log_likelihood, 4),
          .tokens_per_round = tokens_per_round_two_state(places, speculation_length)};
}

IidFit fit_iid(ClusterCounts clusters) {
  AcceptanceCounts total;
  for (const AcceptanceCounts& cluster : clusters) total.add(cluster);
  if (!(total.tested() > 0.0)) throw DataError("no draft was tested; a fit needs one");
  const double rate = total.accepted() / total.tested();
  return {.acceptance_rate = rate,
          .log_likelihood = log_power(rate, total.accepted()) +
                            log_power(1.0 - rate, total.tested() - total.accepted())};
}

std::vector<FittedProcess> fit_processes(std::span<const LoggedGeneration> log,
                                         int speculation_length) {
  const std::vector<AcceptanceCounts> clusters = counts_by_prompt(log);
  const IidFit iid = fit_iid(clusters);
  std::vector<FittedProcess> fits{described(iid, speculation_length)};
  if (iid.acceptance_rate == 0.0 || iid.acceptance_rate == 1.0) return fits;
  if (clusters.size() >= 2) fits.push_back(described(fit_beta(clusters), speculation_length));
  fits.push_back(described(fit_two_state(log), speculation_length));
  return fits;
}

BetaFit fit_beta(ClusterCounts clusters) {
  expect_prompts(clusters);
  const double low = std::log(kLeastConcentration), high = std::log(kGreatestConcentration),
               step = (high - low) / (kGrid - 1);
  const auto value = [&](double log_concentration) {
    return log_likelihood(clusters, best_law(clusters, log_concentration));
  };
  double best = low, best_value = value(low);
  for (int i = 1; i < kGrid; ++i)
    if (const double other = value(low + i * step); other > best_value)
      best = low + i * step, best_value = other;
  BetaFit fit;
  fit.overdispersed = best < high - 0.5 * step;
  fit.law = best_law(clusters, fit.overdispersed ? maximiser(std::max(low, best - step),
                                                             std::min(high, best + step), value)
                                                 : high);
  fit.log_likelihood = log_likelihood(clusters, fit.law);
  return fit;
}

}  // namespace speclab::sim
