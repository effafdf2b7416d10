#include "experiments/drivers/compose/composed_texts.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "sim/monte_carlo/simulated_generation.h"
#include "sim/policies/auto_policy.h"
#include "sim/policies/simple_policies.h"

namespace speclab::experiments {
namespace {

constexpr int kTokens = 20'000;      ///< of the texts that are simulated of a law, or nearly so
constexpr int kMostTexts = 200;      ///< of them
constexpr int kPilotTokens = 1'600;  ///< of the texts from which `auto` has its first belief
constexpr std::uint64_t kSeed = 1;   ///< so that equal files give equal speed-ups

/// Texts of that length that have `tokens` together, at least two.
int texts_of(int tokens, int new_tokens) { return std::clamp(tokens / new_tokens, 2, kMostTexts); }

}  // namespace

void MeanText::add(const MeanText& other, double weight) {
  walltime_ns += weight * other.walltime_ns, plain_ns += weight * other.plain_ns;
  rounds += weight * other.rounds, drafting_rounds += weight * other.drafting_rounds;
}

ComposedTexts::ComposedTexts(const std::vector<analysis::CostRow>& costs, const Setting& setting,
                             const TextShape& shape)
    : drafting_(analysis::pair_costs(costs, setting)),
      plain_(analysis::pair_costs(costs, setting.plain())),
      shape_(shape) {}

sim::GenerationPlan ComposedTexts::plan(sim::EndRule end_rule) const {
  return {
      .new_tokens = shape_.new_tokens, .prompt_tokens = shape_.prompt_tokens, .end_rule = end_rule};
}

MeanText ComposedTexts::of_law(const sim::PlaceAcceptance& places) const {
  const sim::GenerationPlan text = plan(sim::EndRule::drafts_what_can_be_emitted);
  sim::PlaceProcess process(places);
  const sim::GenerationPrediction drafting =
      sim::simulate_generation(*policy_of(places), process, text, drafting_.surface.get(),
                               {.generations = texts_of(kTokens, shape_.new_tokens), .seed = kSeed})
          .mean;
  const sim::GenerationPrediction plain = sim::predict_generation(
      {{.depth = 0, .accepted = 0, .probability = 1.0}}, text, *plain_.surface);
  // A text that drafts at all pays the drafter's reading of the prompt; the mean number of drafting
  // rounds bounds the share of such texts from above.
  const double drafting_texts = std::min(1.0, drafting.drafting_rounds);
  const double prefill_ns = plain_.surface->prefill_ns(shape_.prompt_tokens);
  return {.walltime_ns = prefill_ns + drafting.decode_ns() +
                         drafting_texts * drafting_.drafter_prefill_ns(shape_.prompt_tokens),
          .plain_ns = prefill_ns + plain.decode_ns(),
          .rounds = drafting.rounds,
          .drafting_rounds = drafting.drafting_rounds};
}

std::unique_ptr<SpeculationLengthPolicy> ComposedTexts::policy_of(
    const sim::PlaceAcceptance& places) const {
  if (shape_.speculation_length)
    return std::make_unique<ConstantPolicy>(*shape_.speculation_length);
  const int longest =
      std::min(shape_.longest_draft, places.most_levels.value_or(shape_.longest_draft));
  return std::make_unique<sim::AutoPolicy>(
      sim::AutoPolicyOptions{.costs = drafting_.surface,
                             .prior = prior_of(places, longest),
                             .max_length = longest,
                             .initial_context = shape_.prompt_tokens});
}

/// The belief that pilots with drafts of the greatest length would leave.
sim::AcceptancePrior ComposedTexts::prior_of(const sim::PlaceAcceptance& places,
                                             int longest) const {
  std::vector<RoundRecord> rounds;
  sim::PlaceProcess process(places);
  sim::SimulationOptions options{.generations = texts_of(kPilotTokens, shape_.new_tokens),
                                 .seed = kSeed + 1};
  options.on_rounds = [&rounds](std::uint32_t, std::span<const RoundRecord> of_text) {
    rounds.insert(rounds.end(), of_text.begin(), of_text.end());
  };
  sim::simulate_generation(ConstantPolicy(longest), process, plan(sim::EndRule::drafts_in_full),
                           nullptr, options);
  return sim::acceptance_prior(rounds, longest);
}

MeanOfGroups mean_of_groups(const ComposedTexts& texts, const PlaceCounts& counts) {
  std::vector<MeanText> of_laws;
  for (const sim::PlaceAcceptance& law : counts.laws()) of_laws.push_back(texts.of_law(law));
  MeanOfGroups result;
  for (const MeanText& law : of_laws)
    result.mean.add(law, 1.0 / static_cast<double>(of_laws.size()));
  for (std::size_t left_out = 0; of_laws.size() > 1 && left_out < of_laws.size(); ++left_out) {
    MeanText others;
    for (std::size_t i = 0; i < of_laws.size(); ++i) others.add(of_laws[i], i == left_out ? 0 : 1);
    result.without.push_back(others.speedup());
  }
  if (of_laws.size() == 1 && counts.groups().size() > 1)
    for (const std::string& group : counts.groups())
      result.without.push_back(texts.of_law(counts.law_without(group)).speedup());
  return result;
}

}  // namespace speclab::experiments
