#include "experiments/drivers/generate/shown_text.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace speclab::experiments {
namespace {

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

}  // namespace

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

}  // namespace speclab::experiments
