#include "experiments/drivers/generate/round_summary.h"

#include <fmt/format.h>

#include <cstdio>

#include "experiments/drivers/generate/result_json.h"

namespace speclab::experiments {
namespace {

/// Bytes and energy of a token, for the summary.
std::string costs_of_a_token(const GenerationRecord& record) {
  std::string text = fmt::format("{:.1f} MB read a token", bytes_per_token(record) * 1e-6);
  if (const auto joules = joules_per_token(record))
    text += fmt::format(", {:.3g} J a token ({})", *joules, record.energy->source);
  return text;
}

}  // namespace

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
