#include "experiments/drivers/measure/law_distance.h"

#include <algorithm>

#include "experiments/drivers/measure/logged_chain.h"
#include "experiments/drivers/measure/second_decoding.h"
#include "sim/analytic/one_token.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

std::vector<double> distances_of(const Draft& draft, const TargetLaws<float>& target_laws,
                                 const std::string& verifier, const LossyRuleOptions& options) {
  std::vector<double> distances;
  if (draft.tree.drafted() == 0) return distances;
  const LoggedChain chain = logged_chain(draft, target_laws);
  for (std::size_t place = 0; place < chain.tokens.size(); ++place)
    distances.push_back(
        sim::lossy_distance(verifier, chain.target_laws[place], chain.draft_laws[place], options));
  return distances;
}

void expect_same(const GenerationRecord& measured, const GenerationRecord& again) {
  if (!is_same(measured, again) || again.output_ids.size() != measured.output_ids.size())
    throw Error(ExitCode::invalid_measurement,
                "a lossy row gave another text when it was decoded again, so its law_distance is "
                "unknown; use target.device = \"cpu\", because its kernels are row-invariant");
}

}  // namespace

double mean_distance(const std::vector<std::vector<double>>& distances,
                     const std::vector<RoundRecord>& rounds) {
  SPECLAB_EXPECT(distances.size() == rounds.size(), "distances for every round");
  double total = 0.0;
  std::int64_t emitted = 0;
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    emitted += rounds[round].emitted;
    const auto places =
        static_cast<std::size_t>(std::min(rounds[round].tested, rounds[round].emitted));
    for (std::size_t place = 0; place < places; ++place) total += distances[round].at(place);
  }
  return emitted == 0 ? 0.0 : total / static_cast<double>(emitted);
}

double law_distance(const LoadedPlan& loaded, const DecoderSettings& settings,
                    const engines::Request& request, const SpeculationLengthPolicy& policy,
                    const GenerationRecord& measured) {
  std::vector<std::vector<double>> distances;
  const LossyRuleOptions options = loaded.plan.config.lossy;
  const auto add = [&](const Draft& draft, const TargetLaws<float>& target_laws) {
    distances.push_back(distances_of(draft, target_laws, settings.setting.verifier, options));
  };
  expect_same(measured, decode_again(loaded, settings, request, policy, add));
  return mean_distance(distances, measured.rounds);
}

}  // namespace speclab::experiments
