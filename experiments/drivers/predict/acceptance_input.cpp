#include "experiments/drivers/predict/acceptance_input.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "analysis/stats/bootstrap.h"
#include "analysis/tables/laws.h"
#include "experiments/drivers/predict/law_answers.h"
#include "experiments/drivers/predict/measured_acceptance.h"
#include "sim/analytic/candidates.h"
#include "sim/analytic/one_token.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr AllowedNumbers kProbability{0.0, 1.0, "numbers from 0 to 1"};
constexpr int kDrawnRanks = 4;  ///< of siblings drawn from q, where laws are given
constexpr std::uint64_t kBootstrapSeed =
    1;  ///< of the bootstrap, so that equal files give equal intervals
constexpr double kSameRate =
    1e-9;  ///< α and the first rank's acceptance are one number, typed twice

/// @throws ConfigError if several sources of α are given, or none
void check_one_source(const PredictOptions& options) {
  const bool laws = options.target_law || options.draft_law;
  if (options.target_law.has_value() != options.draft_law.has_value())
    throw ConfigError(
        "--target-law and --draft-law belong together: files of the laws p and q after equal "
        "prefixes; give both");
  const int given = options.acceptance_rate.has_value() + options.trace.has_value() +
                    options.observed.has_value() + laws;
  if (given > 1)
    throw ConfigError(
        "--acceptance-rate, --trace, --observed and --target-law with --draft-law contradict each "
        "other; give one of them");
  if (!laws && (options.candidates || options.lenience))
    throw ConfigError(fmt::format(
        "{} asks what rules make of laws; give --target-law P --draft-law Q, or leave it out",
        options.candidates ? "--candidates" : "--lenience"));
  if (given == 0 && !options.rank_acceptance)
    throw ConfigError(
        "no acceptance; give --acceptance-rate A, --trace ROUNDS.csv, --observed RUN, --target-law "
        "P --draft-law Q, or --rank-acceptance P1,P2,...");
}

std::vector<double> parse_ranks(const std::string& list) {
  std::vector<double> ranks;
  for (const std::string& text : split(list, ','))
    ranks.push_back(parse_number("--rank-acceptance", text, kProbability));
  if (const double sum = std::reduce(ranks.begin(), ranks.end()); sum > 1.0 + 1e-9)
    throw ConfigError(fmt::format(
        "--rank-acceptance sums to {}; allowed: at most 1, because at most one child is accepted",
        sum));
  return ranks;
}

/// Mean over prefixes, taken as independent.
analysis::Estimate mean_over_prefixes(const analysis::ClusterTotals& accepted) {
  if (std::reduce(accepted.numerator.begin(), accepted.numerator.end()) == 0.0) return {};
  const analysis::Estimate mean =
      within(analysis::Bootstrap(kBootstrapSeed).ratio(accepted), 0.0, 1.0);
  return {.value = mean.value, .interval = mean.interval};
}

/// Calls use(p, q) with the laws of every prefix, one pair after the other. @return how many
template <typename Use>
std::size_t for_each_pair(const std::string& target_path, const std::string& draft_path, Use use) {
  analysis::LawReader target(target_path), draft(draft_path);
  const std::vector<double>*p = target.next(), *q = draft.next();
  if (p->size() != q->size())
    throw DataError(
        fmt::format("{}:1: {} probabilities, {}:1 has {}; p and q need the same vocabulary",
                    target_path, p->size(), draft_path, q->size()));
  for (; p != nullptr && q != nullptr; p = target.next(), q = draft.next()) use(*p, *q);
  while (target.next() != nullptr || draft.next() != nullptr)
    continue;  // what is left of the longer one
  if (target.laws() != draft.laws())
    throw DataError(fmt::format("{} has {} laws, {} has {}; a pair for each prefix is needed",
                                target_path, target.laws(), draft_path, draft.laws()));
  return target.laws();
}

AcceptanceInput from_laws(const PredictOptions& options) {
  const std::string &target_path = *options.target_law, &draft_path = *options.draft_law;
  AcceptanceInput input;
  LawAnswers rules(options);
  analysis::ClusterTotals accepted;
  input.rank_acceptance.assign(kDrawnRanks, 0.0);
  const std::size_t pairs = for_each_pair(
      target_path, draft_path, [&](const std::vector<double>& p, const std::vector<double>& q) {
        accepted.add(sim::acceptance_probability(p, q), 1.0);
        rules.add(p, q);
        const std::vector<double> ranks = sim::multi_step_rank_acceptance(p, q, kDrawnRanks);
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
          input.rank_acceptance[rank] += ranks[rank];
      });
  for (double& rank : input.rank_acceptance) rank /= static_cast<double>(pairs);
  input.rate = mean_over_prefixes(accepted);
  input.source = fmt::format("laws p and q of {} prefix{}", pairs, pairs == 1 ? "" : "es");
  input.notes.push_back(
      "siblings of a tree are drawn from q independently and tried one after the other "
      "(SpecInfer)");
  input.answers = rules.answers();
  for (std::string& note : rules.notes()) input.notes.push_back(std::move(note));
  return input;
}

AcceptanceInput from_rate(const std::string& text) {
  return {.rate = parse_estimate("--acceptance-rate", text, kProbability), .source = "given"};
}

/// @throws ConfigError where --rank-acceptance says another α
void add_ranks(const PredictOptions& options, AcceptanceInput& input) {
  if (!options.rank_acceptance) return;
  if (options.target_law || options.observed)
    throw ConfigError(
        fmt::format("--rank-acceptance and {} contradict each other: the latter gives the "
                    "acceptance of ranks; leave one out",
                    options.observed ? "--observed" : "--target-law"));
  input.rank_acceptance = parse_ranks(*options.rank_acceptance);
  if (options.acceptance_rate && std::abs(input.rank_acceptance[0] - input.rate.value) > kSameRate)
    throw ConfigError(
        fmt::format("--rank-acceptance begins with {}, --acceptance-rate is {}; both are the "
                    "chance of the first child: make them equal or leave one out",
                    input.rank_acceptance[0], input.rate.value));
}

}  // namespace

AcceptanceInput acceptance_input(const PredictOptions& options, const SettingFilter& filter) {
  check_one_source(options);
  AcceptanceInput input;
  if (options.acceptance_rate)
    input = from_rate(*options.acceptance_rate);
  else if (options.trace)
    input = trace_acceptance(*options.trace, filter);
  else if (options.observed)
    input = observed_acceptance(*options.observed, filter);
  else if (options.target_law)
    input = from_laws(options);
  else
    input = {.rate = {.value = parse_ranks(*options.rank_acceptance)[0]},
             .source = "given as --rank-acceptance"};
  add_ranks(options, input);
  return input;
}

}  // namespace speclab::experiments
