#include "experiments/drivers/measure/second_decoding.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "experiments/drivers/generate/drawn_draft.h"
#include "sim/analytic/one_token.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

std::vector<double> normalised(const Law& law) {
  std::vector<double> values(law.vocab_size(), 0.0);
  double total = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i)
    total += values[i] = static_cast<double>(law[static_cast<Token>(i)]);
  for (double& value : values) value /= total;
  return values;
}

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

LoggedChain logged_chain(const Draft& draft, const TargetLaws<float>& target_laws) {
  SPECLAB_EXPECT(draft.tree.is_chain(), "chains are logged, not trees");
  LoggedChain chain;
  for (TokenTree::Node node = 0; node < draft.tree.size(); ++node) {
    chain.target_laws.push_back(normalised(target_laws(node)));
    if (node + 1 == draft.tree.size()) break;
    chain.draft_laws.push_back(normalised(draft.law_at(node)));
    chain.tokens.push_back(draft.tree[node + 1].token);
  }
  return chain;
}

GenerationRecord decode_again(
    const LoadedPlan& loaded, const DecoderSettings& settings, const engines::Request& request,
    const SpeculationLengthPolicy& policy,
    const std::function<void(const Draft&, const TargetLaws<float>&)>& on_draft,
    std::size_t most_rounds) {
  engines::DecoderOptions options = decoder_options(loaded.plan, settings);
  options.on_draft = on_draft;
  const engines::LoadedModel& model = loaded.model_of(settings.setting);
  const auto decoder = loaded.engines.make_decoder(*model.model, model.tokenizer, options);
  decoder->begin({request}, policy);
  while (decoder->records().front().rounds.size() < most_rounds && decoder->round()) {
  }
  return decoder->records().front();
}

bool is_same(const GenerationRecord& measured, const GenerationRecord& again) {
  const auto verdict = [](const RoundRecord& round) {
    return std::tuple(round.drafted, round.accepted, round.tested, round.emitted);
  };
  if (again.rounds.size() > measured.rounds.size() ||
      again.output_ids.size() > measured.output_ids.size())
    return false;
  return std::ranges::equal(again.output_ids,
                            std::span(measured.output_ids).first(again.output_ids.size())) &&
         std::ranges::equal(again.rounds, std::span(measured.rounds).first(again.rounds.size()), {},
                            verdict, verdict);
}

std::vector<analysis::DraftedRound> shown_drafts(const LoadedPlan& loaded,
                                                 const DecoderSettings& settings,
                                                 const engines::Request& request,
                                                 const SpeculationLengthPolicy& policy,
                                                 const GenerationRecord& measured) {
  std::vector<DrawnDraft> drafts;
  const auto keep = [&](const Draft& draft, const TargetLaws<float>& target_laws) {
    drafts.emplace_back(&loaded.tokenizer_of(settings.setting.model), draft, target_laws);
  };
  const GenerationRecord again =
      decode_again(loaded, settings, request, policy, keep, kShownRounds);
  if (!is_same(measured, again) || drafts.size() != again.rounds.size()) return {};
  std::vector<analysis::DraftedRound> shown;
  std::span<const Token> left = again.output_ids;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const auto emitted = static_cast<std::size_t>(again.rounds[i].emitted);
    shown.push_back(drafts[i].round(again.rounds[i], left.first(emitted)));
    left = left.subspan(emitted);
  }
  return shown;
}

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
