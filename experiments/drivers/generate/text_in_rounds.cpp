#include "experiments/drivers/generate/text_in_rounds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include "engines/interface/language_model.h"
#include "engines/interface/names.h"
#include "experiments/drivers/generate/measured_auto_policy.h"
#include "experiments/drivers/generate/result_json.h"
#include "experiments/drivers/generate/text_stream.h"
#include "experiments/drivers/measure/drawn_draft.h"
#include "experiments/drivers/program/energy_span.h"
#include "experiments/drivers/program/progress.h"
#include "sim/core/records.h"
#include "sim/policies/constant_policy.h"
#include "sim/policies/policy_registry.h"

namespace speclab::experiments {
namespace {

/// A text on standard output while rounds make it, in the form that --stream asks for. Nothing is
/// printed with --json, and with --draw-trees the caller prints the text.
class ShownText {
 public:
  /// @param prompt_id  stands in every JSON line; empty: in none
  /// @param tokenizer  outlives this; null where the model has none
  ShownText(const GenerateOptions& mode, std::string prompt_id,
            const engines::Tokenizer* tokenizer);

  /// Shows the prompt where it is not skipped.
  void begin(std::span<const Token> prompt_ids);
  /// Shows the tokens that came since the last call. @param is_last  nothing follows
  void show(const GenerationRecord& record, bool is_last);
  const std::string& text() const { return stream_.text(); }

 private:
  void show_token(const GenerationRecord& record, std::size_t index, const std::string& piece);

  bool has_tokenizer_, has_lines_, is_silent_, skips_prompt_;
  std::string prompt_id_;
  TextStream stream_;
  std::size_t num_shown_ = 0;
};

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

StreamPieces pieces_of(const GenerateOptions& mode) {
  if (mode.stream.has_lines() || mode.stream.form == "characters") return StreamPieces::characters;
  return mode.stream.form == "off" ? StreamPieces::whole : StreamPieces::words;
}

/// Bytes and energy of a token, for the summary.
std::string costs_of_a_token(const GenerationRecord& record) {
  std::string text = fmt::format("{:.1f} MB read a token", bytes_per_token(record) * 1e-6);
  if (const auto joules = joules_per_token(record))
    text += fmt::format(", {:.3g} J a token ({})", *joules, record.energy->source);
  return text;
}

ShownText::ShownText(const GenerateOptions& mode, std::string prompt_id,
                     const engines::Tokenizer* tokenizer)
    : has_tokenizer_(tokenizer != nullptr),
      has_lines_(mode.stream.has_lines()),
      is_silent_(!has_lines_ && (mode.common.json || mode.draw_trees)),
      skips_prompt_(mode.stream.skip_prompt),
      prompt_id_(std::move(prompt_id)),
      stream_(tokenizer, {pieces_of(mode), mode.stream.left_out(), mode.decoder.stop.stop_strings,
                          mode.decoder.stop.eos_token_ids.value_or(std::vector<Token>{})}) {}

void ShownText::begin(std::span<const Token> prompt_ids) {
  if (skips_prompt_) return;
  print(stream_.push_prompt(prompt_ids));
  std::fflush(stdout);
}

void ShownText::show(const GenerationRecord& record, bool is_last) {
  const std::vector<Token>& ids = record.output_ids;
  for (; num_shown_ < ids.size(); ++num_shown_) {
    std::string piece = stream_.push({&ids[num_shown_], 1});
    if (is_last && num_shown_ + 1 == ids.size()) piece += stream_.finish();
    if (!is_silent_) show_token(record, num_shown_, piece);
  }
  std::fflush(stdout);
}

void ShownText::show_token(const GenerationRecord& record, std::size_t index,
                           const std::string& piece) {
  if (!has_lines_) return print(piece);
  nlohmann::ordered_json line;
  if (!prompt_id_.empty()) line["prompt_id"] = prompt_id_;
  line.update(token_json(record, index, has_tokenizer_ ? &piece : nullptr));
  print(json_text(line) + "\n");
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
