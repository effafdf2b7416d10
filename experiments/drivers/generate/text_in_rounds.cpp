#include "experiments/drivers/generate/text_in_rounds.h"

#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "engines/interface/names.h"
#include "experiments/drivers/generate/measured_auto_policy.h"
#include "experiments/drivers/generate/result_json.h"
#include "experiments/drivers/generate/shown_text.h"
#include "experiments/drivers/measure/drawn_draft.h"
#include "experiments/drivers/program/energy_span.h"
#include "experiments/drivers/program/progress.h"
#include "sim/policies/constant_policy.h"
#include "sim/policies/policy_registry.h"

namespace speclab::experiments {
namespace {

using engines::RoundDecoder;

/// A text that appears on a terminal shows its own progress, and a line would stand in it.
Progress::Style style_beside_text(const GenerateOptions& options) {
  const bool is_text_shown = !options.prints_json() && options.stream.form != "off";
  return is_text_shown && isatty(STDOUT_FILENO) != 0 ? Progress::Style::silent
                                                     : Progress::style_of_standard_error();
}

/// One way of decoding the prompt.
class RoundsOfText {
 public:
  RoundsOfText(const TextCall& call, const GenerateOptions& options,
               std::unique_ptr<SpeculationLengthPolicy>& measured)
      : call_(call), options_(options), measured_(measured) {}

  Outcome decode() {
    const auto decoder =
        call_.engines.make_decoder(*call_.loaded.model, call_.loaded.tokenizer, decoder_options());
    note_lossy_rule();
    const bool is_measured = options_.policy == "auto";
    if (is_measured && !measured_) measured_ = measured_policy(*decoder);
    const auto named = is_measured ? nullptr : make_policy(options_.policy);
    return decode(*decoder, is_measured ? *measured_ : *named);
  }

 private:
  const engines::Tokenizer* tokenizer() const { return call_.loaded.tokenizer.get(); }

  engines::DecoderOptions decoder_options() {
    engines::DecoderOptions decoder = options_.decoder;
    decoder.log_probabilities = options_.stream.has_lines();
    if (options_.draw_trees)
      decoder.on_draft = [this](const Draft& draft, const TargetLaws<float>& laws) {
        drawing_.emplace(tokenizer(), draft, laws);
      };
    return decoder;
  }

  void note_lossy_rule() const {
    if (engines::is_lossless(options_.decoder)) return;
    fmt::print(stderr, "speclab: verifier '{}' is lossy: the text does not have the target's law\n",
               options_.decoder.verifier);
  }

  /// Costs are measured once the decoder has shown that it takes the request.
  std::unique_ptr<SpeculationLengthPolicy> measured_policy(RoundDecoder& decoder) const {
    decoder.begin({call_.request}, ConstantPolicy(0));
    decoder.finish();
    Progress progress(Progress::style_of_standard_error());
    return measured_auto_policy(
        {call_.engines, call_.loaded, options_.decoder, call_.request.prompt_ids},
        {progress, call_.check_interruption});
  }

  Outcome decode(RoundDecoder& decoder, const SpeculationLengthPolicy& policy) {
    ShownText shown(options_, call_.prompt_id, tokenizer());
    decoder.begin({call_.request}, policy);
    shown.begin(call_.request.prompt_ids);
    const EnergySpan energy(call_.energy);
    Progress progress(style_beside_text(options_));
    progress.begin_quiet_phase("generate", options_.decoder.stop.max_new_tokens);
    std::size_t done = 0;
    for (bool more = true; more;) {
      call_.check_interruption();
      more = decoder.round();
      const GenerationRecord& record = decoder.records().front();
      progress.advance(static_cast<double>(record.output_ids.size() - done));
      done = record.output_ids.size();
      draw(record);
      shown.show(record, !more);
    }
    progress.end_phase();
    Outcome outcome{decoder.records().front(), shown.text()};
    outcome.record.energy = energy.used();
    if (options_.draw_trees) fmt::print("{}", outcome.text);
    return outcome;
  }

  /// The last round's draft.
  void draw(const GenerationRecord& record) {
    if (drawing_ && !record.rounds.empty())
      fmt::print("{}", text_of(drawing_.value().round(
                           record.rounds.back(), std::span(record.output_ids).subspan(drawn_))));
    drawn_ = record.output_ids.size();
  }

  const TextCall& call_;
  const GenerateOptions& options_;
  std::unique_ptr<SpeculationLengthPolicy>& measured_;
  std::optional<DrawnDraft> drawing_;  ///< of the round in hand
  std::size_t drawn_ = 0;              ///< tokens of earlier rounds
};

/// The call's own way, behind plain decoding if both are asked for.
std::vector<GenerateOptions> ways_of(const GenerateOptions& options) {
  std::vector<GenerateOptions> ways{options};
  ways.front().decoder.seed = options.common.seed;
  if (!options.side_by_side) return ways;
  ways.push_back(ways.front());
  ways.front().decoder.drafter = {.kind = "plain"};
  ways.front().policy = "none";
  ways.front().draw_trees = false;
  return ways;
}

void print_text_and_summary(const TextCall& call, const GenerateOptions& way,
                            const Outcome& outcome) {
  if (!call.loaded.tokenizer) fmt::print("{}", fmt::join(outcome.record.output_ids, ","));
  fmt::print("\n");
  std::fflush(stdout);  // before what is said on standard error
  print_summary(way.decoder.drafter.kind, call.loaded.model->info(), outcome);
}

void print_drafter_notes(const TextCall& call, const GenerateOptions& way, const Outcome& outcome) {
  const std::size_t tokens = call.request.prompt_ids.size() + outcome.record.output_ids.size();
  const std::string context = drafter_context_note(call.engines, way.decoder.drafter, tokens);
  for (const std::string& note : {context, bridge_note(outcome.record)})
    if (!note.empty()) fmt::print(stderr, "speclab: {}\n", note);
}

}  // namespace

nlohmann::ordered_json text_in_rounds(const TextCall& call, const GenerateOptions& options,
                                      std::unique_ptr<SpeculationLengthPolicy>& measured) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  std::vector<GenerationRecord> records;
  for (const GenerateOptions& way : ways_of(options)) {
    const Outcome outcome = RoundsOfText(call, way, measured).decode();
    results.push_back(outcome_json(way, call.loaded.model->info(), call.request, outcome));
    if (!options.prints_json()) print_text_and_summary(call, way, outcome);
    print_drafter_notes(call, way, outcome);
    records.push_back(outcome.record);
  }
  if (!options.side_by_side) return results.front();
  if (!options.prints_json()) print_comparison(records.front(), records.back());
  return {{"plain", results.front()}, {"speculative", results.back()}};
}

std::string drafter_context_note(engines::Engines& engines, const engines::DrafterOptions& drafter,
                                 std::size_t num_tokens) {
  for (const engines::DrafterOptions& part : drafter.parts)
    if (std::string note = drafter_context_note(engines, part, num_tokens); !note.empty())
      return note;
  if (!drafter.traits().reads_transformer()) return "";
  const auto info = engines.drafter_info(drafter);
  if (!info || num_tokens <= static_cast<std::size_t>(info->context_length)) return "";
  return fmt::format(
      "the text has {} tokens, and the context of the model of {} ends at {}: behind that it "
      "drafts "
      "nothing",
      num_tokens, drafter.kind, info->context_length);
}

}  // namespace speclab::experiments
