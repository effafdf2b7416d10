#include "experiments/drivers/run/law_distance.h"

#include "experiments/drivers/atlas/logged_chain.h"
#include "experiments/drivers/run/workbench.h"
#include "sim/analytic/rule_acceptance.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

double distance_at(std::size_t place, const LoggedChain& chain, const std::string& verifier, const VerificationOptions& options) {
  const std::vector<double>&p = chain.target_laws[place], &q = chain.draft_laws[place];
  if (verifier == "typical") return sim::typical_distance(p, q, options.typical_epsilon, options.typical_delta);
  SPECLAB_EXPECT(verifier == "lenient", "no closed form for the distance of " + verifier);
  return sim::lenient_distance(p, q, options.lenience, options.lenient_residual);
}

}  // namespace

double mean_distance(const std::vector<std::vector<double>>& distances, const std::vector<RoundRecord>& rounds) {
  SPECLAB_EXPECT(distances.size() == rounds.size(), "distances for every round");
  double total = 0.0;
  std::int64_t emitted = 0;
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    emitted += rounds[round].accepted + 1;
    for (std::size_t place = 0; place < static_cast<std::size_t>(rounds[round].tested); ++place) total += distances[round].at(place);
  }
  return emitted == 0 ? 0.0 : total / static_cast<double>(emitted);
}

double law_distance(const LoadedPlan& loaded, const DecoderSettings& settings, const engines::Request& request, const SpeculationLengthPolicy& policy) {
  std::vector<std::vector<double>> distances;
  engines::DecoderOptions options = settings.decoder_options(loaded.plan.config);
  options.on_draft = [&](const Draft& draft, const TargetLaws<float>& target_laws) {
    distances.emplace_back();
    if (draft.tree.drafted() == 0) return;
    const LoggedChain chain = logged_chain(draft, target_laws);
    for (std::size_t place = 0; place < chain.tokens.size(); ++place)
      distances.back().push_back(distance_at(place, chain, settings.drafting.verifier, loaded.plan.config.verification));
  };
  const engines::LoadedModel& model = loaded.models.at(settings.model);
  const auto decoder = loaded.engines.make_decoder(*model.model, model.tokenizer, options);
  decoder->begin({request}, policy);
  while (decoder->round()) {
  }
  return mean_distance(distances, decoder->records().front().rounds);
}

}  // namespace speclab::experiments
