#include "experiments/drivers/measure/second_decoding.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "experiments/drivers/measure/drawn_draft.h"

namespace speclab::experiments {

GenerationRecord decode_again(
    const LoadedPlan& loaded, const DecoderSettings& settings, const engines::Request& request,
    const SpeculationLengthPolicy& policy,
    const std::function<void(const Draft&, const TargetLaws<float>&)>& on_draft,
    std::size_t most_rounds) {
  engines::DecoderOptions options = decoder_options(loaded.plan, settings);
  options.on_draft = on_draft;
  const engines::LoadedModel& model = loaded.models.at(settings.setting.model);
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

}  // namespace speclab::experiments
