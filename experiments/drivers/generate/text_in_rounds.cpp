#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include "engines/interface/language_model.h"
#include "engines/interface/names.h"
#include "experiments/drivers/generate/drawn_draft.h"
#include "experiments/drivers/generate/text_work.h"
#include "experiments/drivers/program/energy_span.h"
#include "experiments/drivers/program/progress.h"
#include "sim/core/records.h"
#include "sim/policies/policy_registry.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/json_text.h"

namespace speclab::experiments {
namespace {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

TextStreamOptions stream_options(const StreamOptions& stream, const engines::StopOptions& stop) {
  const bool has_characters = stream.has_lines() || stream.form == "characters";
  return {.pieces = has_characters         ? StreamPieces::characters
                    : stream.form == "off" ? StreamPieces::whole
                                           : StreamPieces::words,
          .left_out = stream.left_out(),
          .stop_strings = stop.stop_strings,
          .ends = stop.eos_token_ids.value_or(std::vector<Token>{})};
}

/// A text on standard output while rounds make it, in the form that --stream asks for. Nothing is
/// printed with --json, and where trees are drawn the caller prints the text.
class ShownText {
 public:
  ShownText(const TextWork& work, bool draws_trees)
      : work_(work),
        options_(work.call.options),
        is_silent_(!options_.stream.has_lines() && (options_.common.json || draws_trees)),
        stream_(work.loaded.tokenizer.get(),
                stream_options(options_.stream, work.call.plan.decoding.stop)) {}

  /// Shows the prompt where it is not skipped.
  void begin() {
    if (options_.stream.skip_prompt) return;
    print(stream_.push_prompt(work_.request.prompt_ids));
    std::fflush(stdout);
  }

  /// Shows the tokens that came since the last call. @param is_last  nothing follows
  void show(const GenerationRecord& record, bool is_last) {
    const std::vector<Token>& ids = record.output_ids;
    for (; num_shown_ < ids.size(); ++num_shown_) {
      std::string piece = stream_.push({&ids[num_shown_], 1});
      if (is_last && num_shown_ + 1 == ids.size()) piece += stream_.finish();
      if (!is_silent_) print(options_.stream.has_lines() ? line_of(record, piece) : piece);
    }
    std::fflush(stdout);
  }
  const std::string& text() const { return stream_.text(); }

 private:
  std::string line_of(const GenerationRecord& record, const std::string& piece) const {
    nlohmann::ordered_json line;
    if (!work_.prompt_id.empty()) line["prompt_id"] = work_.prompt_id;
    line.update(token_json(record, num_shown_, work_.loaded.tokenizer ? &piece : nullptr));
    return json_text(line) + "\n";
  }

  const TextWork& work_;
  const GenerateOptions& options_;
  bool is_silent_;
  TextStream stream_;
  std::size_t num_shown_ = 0;
};

/// Bytes and energy of a token, for the summary.
std::string costs_of_a_token(const GenerationRecord& record) {
  std::string text = fmt::format("{:.1f} MB read a token", bytes_per_token(record) * 1e-6);
  if (const auto joules = joules_per_token(record))
    text += fmt::format(", {:.3g} J a token ({})", *joules, record.energy->source);
  return text;
}

/// A line on standard error: times, bytes and energy of a text that rounds made.
void print_summary(const std::string& drafter, const engines::ModelInfo& model,
                   const Outcome& outcome) {
  const GenerationRecord& r = outcome.record;
  const double tokens = static_cast<double>(r.output_ids.size());
  fmt::print(stderr,
             "[{}] {} tokens ({}): {:.1f} tokens/s decoding, {:.1f} in all; {:.2f} tokens a round; "
             "{}; prefill {:.0f} ms; {} in {} on {}, kernels {}\n",
             drafter, r.output_ids.size(), to_string(r.stop_reason), tokens / seconds(r.decode_ns),
             tokens / seconds(r.decode_ns + r.prefill_ns), tokens_per_round(r), costs_of_a_token(r),
             seconds(r.prefill_ns) * 1e3, model.name, model.dtype, model.device, model.kernels);
}

/// A line on standard error for --side-by-side.
/// The ratio of one text; another prompt, or another minute, has another one.
void print_comparison(const GenerationRecord& plain, const GenerationRecord& drafted) {
  const auto per_token = [](const GenerationRecord& r) {
    return seconds(r.decode_ns) / static_cast<double>(r.output_ids.size());
  };
  fmt::print(
      stderr,
      "[both] {}; a token took {:.2f} times as long plainly as with drafts (decoding, one text)\n",
      plain.output_ids == drafted.output_ids ? "the same tokens" : "other tokens",
      per_token(plain) / per_token(drafted));
}

using engines::RoundDecoder;

/// One way of decoding the prompt.
struct Way {
  GenerationPlan plan;
  bool draws_trees;
};

class RoundsOfText {
 public:
  RoundsOfText(const TextWork& work, const Way& way)
      : work_(work), decoding_(way.plan.decoding), way_(way) {}

  Outcome decode() {
    const auto decoder =
        work_.engines.make_decoder(*work_.loaded.model, work_.loaded.tokenizer, decoder_options());
    note_lossy_rule();
    const bool is_measured = way_.plan.policy == "auto";
    if (is_measured && !work_.measured) work_.measured = measured_policy(*decoder);
    const auto named = is_measured ? nullptr : make_policy(way_.plan.policy);
    return decode(*decoder, is_measured ? *work_.measured : *named);
  }

 private:
  engines::DecoderOptions decoder_options() {
    engines::DecoderOptions decoder = decoding_;
    decoder.log_probabilities = work_.call.options.stream.has_lines();
    if (way_.draws_trees)
      decoder.on_draft = [this](const Draft& draft, const TargetLaws<float>& laws) {
        drawing_.emplace(work_.loaded.tokenizer.get(), draft, laws);
      };
    return decoder;
  }

  void note_lossy_rule() const {
    if (engines::is_lossless(decoding_)) return;
    fmt::print(stderr, "speclab: verifier '{}' is lossy: the text does not have the target's law\n",
               decoding_.verifier);
  }

  /// Costs are measured once the decoder has shown that it takes the request.
  std::unique_ptr<SpeculationLengthPolicy> measured_policy(RoundDecoder& decoder) const {
    decoder.begin({work_.request}, ConstantPolicy(0));
    decoder.finish();
    return work_.measure_policy(decoding_);
  }

  Outcome decode(RoundDecoder& decoder, const SpeculationLengthPolicy& policy) {
    const GenerateOptions& options = work_.call.options;
    ShownText shown(work_, way_.draws_trees);
    decoder.begin({work_.request}, policy);
    shown.begin();
    const EnergySpan energy(work_.energy);
    // A text that appears on a terminal shows its own progress, and a line would stand in it.
    const bool is_text_shown = !options.prints_json() && options.stream.form != "off";
    Progress progress(is_text_shown && isatty(STDOUT_FILENO) != 0
                          ? Progress::Style::silent
                          : Progress::style_of_standard_error());
    progress.begin_quiet_phase("generate", decoding_.stop.max_new_tokens);
    std::size_t done = 0;
    for (bool more = true; more;) {
      work_.check_interruption();
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
    if (way_.draws_trees) fmt::print("{}", outcome.text);
    return outcome;
  }

  /// The last round's draft.
  void draw(const GenerationRecord& record) {
    if (drawing_ && !record.rounds.empty())
      fmt::print("{}", text_of(drawing_.value().round(
                           record.rounds.back(), std::span(record.output_ids).subspan(drawn_))));
    drawn_ = record.output_ids.size();
  }

  const TextWork& work_;
  const engines::DecoderOptions& decoding_;
  const Way& way_;
  std::optional<DrawnDraft> drawing_;  ///< of the round in hand
  std::size_t drawn_ = 0;              ///< tokens of earlier rounds
};

/// The call's own way, behind plain decoding if both are asked for.
std::vector<Way> ways_of(const GenerateCall& call) {
  std::vector<Way> ways{{call.plan, call.options.draw_trees}};
  if (!call.options.side_by_side) return ways;
  ways.insert(ways.begin(), {call.plan, false});
  ways.front().plan.decoding.drafter = {.kind = "plain"};
  ways.front().plan.policy = "none";
  return ways;
}

void print_text_and_summary(const engines::LoadedModel& loaded, const std::string& drafter,
                            const Outcome& outcome) {
  if (!loaded.tokenizer) fmt::print("{}", fmt::join(outcome.record.output_ids, ","));
  fmt::print("\n");
  std::fflush(stdout);  // before what is said on standard error
  print_summary(drafter, loaded.model->info(), outcome);
}

void print_drafter_notes(const TextWork& work, const engines::DrafterOptions& drafter,
                         const GenerationRecord& record) {
  const std::size_t tokens = work.request.prompt_ids.size() + record.output_ids.size();
  const std::string context = drafter_context_note(work.engines, drafter, tokens);
  for (const std::string& note : {context, bridge_note(record)})
    if (!note.empty()) fmt::print(stderr, "speclab: {}\n", note);
}

}  // namespace

nlohmann::ordered_json text_in_rounds(const TextWork& work) {
  const bool prints_text = !work.call.options.prints_json();
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  std::vector<GenerationRecord> records;
  for (const Way& way : ways_of(work.call)) {
    const engines::DrafterOptions& drafter = way.plan.decoding.drafter;
    const Outcome outcome = RoundsOfText(work, way).decode();
    results.push_back(outcome_json(work, way.plan, outcome));
    if (prints_text) print_text_and_summary(work.loaded, drafter.kind, outcome);
    print_drafter_notes(work, drafter, outcome.record);
    records.push_back(outcome.record);
  }
  if (results.size() == 1) return results.front();
  if (prints_text) print_comparison(records.front(), records.back());
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
