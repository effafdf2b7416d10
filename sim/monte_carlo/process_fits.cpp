#include "sim/monte_carlo/process_fits.h"

#include <array>
#include <charconv>
#include <cmath>

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

}  // namespace speclab::sim
