#include "experiments/drivers/verify/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engines/interface/names.h"
#include "sim/policies/constant_policy.h"

namespace speclab::experiments {
namespace {

using engines::DecoderOptions;

std::vector<GenerationRecord> decode_all(engines::Engines& engines, engines::LoadedModel& target,
                                         const DecoderOptions& options,
                                         const VerificationPlan& plan, Progress& progress) {
  const auto decoder = engines.make_decoder(*target.model, target.tokenizer, options);
  std::vector<GenerationRecord> records;
  for (const engines::Request& request : plan.requests) {
    decoder->begin({request}, ConstantPolicy(plan.speculation_length));
    while (decoder->round()) {
    }
    records.push_back(decoder->records().front());
    progress.advance(1);
  }
  return records;
}

std::vector<Text> texts_of(const VerificationPlan& plan,
                           const std::vector<GenerationRecord>& records) {
  std::vector<Text> texts;
  for (std::size_t i = 0; i < records.size(); ++i) {
    texts.push_back({plan.requests[i].prompt_ids, plan.requests[i].prompt_ids.size()});
    texts.back().ids.insert(texts.back().ids.end(), records[i].output_ids.begin(),
                            records[i].output_ids.end());
  }
  return texts;
}

/// Processors that change scores, at temperature 1 and without cutoffs.
engines::SamplingOptions without_cutoffs(const engines::SamplingOptions& sampling) {
  return {.repetition_penalty = sampling.repetition_penalty,
          .no_repeat_ngram_size = sampling.no_repeat_ngram_size,
          .min_length = sampling.min_length,
          .eos_token_ids = sampling.eos_token_ids,
          .suppress_tokens = sampling.suppress_tokens};
}

/// log p(a) - log p(b) before place `position` of the output.
double gap_at(const engines::Engines& engines, engines::LanguageModel& model,
              const engines::SamplingOptions& sampling, Text text, std::size_t position, Token a,
              Token b) {
  std::vector<double> last;
  text.ids.resize(text.prompt_length + position + 1);
  visit_plain_logits(model, text, [&](std::size_t, std::span<const float> logits) {
    last.assign(logits.begin(), logits.end());
  });
  text.ids.pop_back();
  const std::vector<double> law = engines.law(without_cutoffs(sampling), last, text.ids);
  return std::log(law[static_cast<std::size_t>(a)]) - std::log(law[static_cast<std::size_t>(b)]);
}

/// The end tokens that min_length forbids, which the decoders take from the tokenizer.
void fill_end_tokens(const engines::Tokenizer* tokenizer, engines::SamplingOptions& sampling) {
  if (sampling.min_length == 0 || tokenizer == nullptr || !sampling.eos_token_ids.empty()) return;
  for (Token token = 0; token < tokenizer->vocab_size(); ++token)
    if (tokenizer->is_end_of_sequence(token)) sampling.eos_token_ids.push_back(token);
}

GreedyComparison compare_greedy(const engines::Engines& engines, engines::LanguageModel& model,
                                const VerificationPlan& plan,
                                const std::vector<GenerationRecord>& plain,
                                const std::vector<GenerationRecord>& speculative) {
  GreedyComparison comparison;
  const std::vector<Text> texts = texts_of(plan, plain);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::vector<Token>&a = plain[i].output_ids, &b = speculative[i].output_ids;
    comparison.tokens += static_cast<std::int64_t>(a.size());
    const auto place = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    if (place == a.size() && a.size() == b.size()) continue;
    const bool both = place < a.size() && place < b.size();
    comparison.differences.push_back({plan.requests[i].sequence_id, place, std::nullopt});
    if (both)
      comparison.differences.back().gap =
          gap_at(engines, model, plan.decoder.sampling, texts[i], place, a[place], b[place]);
  }
  return comparison;
}

std::vector<SampledText> sampled_texts(const VerificationPlan& plan,
                                       const std::vector<GenerationRecord>& records) {
  std::vector<SampledText> texts;
  for (const Text& text : texts_of(plan, records)) {
    texts.push_back({text, {}});
    for (const RoundRecord& round : records[texts.size() - 1].rounds)
      texts.back().emitted.push_back(round.emitted);
  }
  return texts;
}

std::string greedy_lines(const Verification& v, std::size_t texts) {
  const GreedyComparison& greedy = v.greedy;
  if (greedy.differences.empty())
    return fmt::format("greedy     {} tokens of {} texts, none differs from plain decoding\n",
                       greedy.tokens, texts);
  std::string text = fmt::format("greedy     {} of {} texts ({} tokens) leave plain decoding's\n",
                                 greedy.differences.size(), texts, greedy.tokens);
  for (const Difference& d : v.greedy.differences)
    text += d.gap
                ? fmt::format("           text {}, token {}: log probabilities {:.3g} apart, {}\n",
                              d.sequence, d.position, *d.gap,
                              v.is_near_tie(d) ? "a near tie within the row noise" : "no near tie")
                : fmt::format("           text {}, token {}: one of the texts ends here\n",
                              d.sequence, d.position);
  return text;
}

std::string row_lines(const RowNoise& rows, int together) {
  if (rows.different == 0)
    return fmt::format("rows       {} rows of {} side by side, every bit as alone\n", rows.rows(),
                       together);
  return fmt::format(
      "rows       {} of {} rows differ side by side by {} from alone: by {:.3g} at most, allowed "
      "{:.3g}; {} arg max flips\n",
      rows.different, rows.rows(), together, rows.largest(), rows.allowed, rows.flips);
}

std::string test_line(const LawTest& test) {
  if (!test.p) return fmt::format("           {}: too few tokens to say\n", test.name);
  return fmt::format("           {}: p = {:.3g}; a shift of {:.2g} {} would show\n", test.name,
                     *test.p, *test.smallest_shift, test.unit);
}

std::string sampled_lines(const SampledLaw& sampled) {
  std::string text = fmt::format("sampled    {} tokens", sampled.tokens);
  text += sampled.impossible == 0
              ? ", none that the target cannot say\n"
              : fmt::format(", {} that the target cannot say\n", sampled.impossible);
  if (sampled.at_the_edge > 0)
    text += fmt::format("           {} at the edge of a cutoff, within its rounding\n",
                        sampled.at_the_edge);
  for (const LawTest& test : sampled.tests) text += test_line(test);
  return text;
}

std::string exact_lines(const std::optional<ExactLaw>& exact) {
  if (!exact) return "";
  return fmt::format(
      "exact      joint law of {} tokens, {} outputs over {} paths: largest error {:.2g}\n",
      exact->tokens, exact->outputs, exact->paths, exact->largest_error);
}

/// What decides whether something that small could have been found.
std::string blind_spots(const Verification& v) {
  std::string text = "not seen   texts, prompts and settings other than these";
  if (!v.sampled) return text + "; sampling: the temperature is 0\n";
  text +=
      "; shifts of the sampled law smaller than those above, or that cancel over the contexts or "
      "within a bin; changes that keep every token's place in its law\n";
  const bool any =
      std::ranges::any_of(v.sampled->tests, [](const LawTest& test) { return test.p.has_value(); });
  return any ? text + fmt::format(
                          "odds       a lossless pair is accused once in {:.0f} verifications, a "
                          "shift of the size above missed as rarely\n",
                          1.0 / kFalseAlarm)
             : text;
}

std::string verdict_of(const Verification& v, const engines::DecoderOptions& decoder) {
  if (!v.passes()) return "THE OUTPUT LAW IS NOT THE TARGET'S";
  if (v.drafted == 0) return "nothing was drafted, so nothing was tested";
  if (!engines::is_lossless(decoder))
    return "NOT LOSSLESS: the verifier changes the law by its definition, by less than these texts "
           "would show";
  if (!v.tests_anything())
    return "too few tokens to say anything of the sampled law; raise --max-new-tokens or "
           "--prompts-per-category";
  return "no difference from the target was found";
}

}  // namespace

bool Verification::passes() const {
  const bool greedy_equal = std::ranges::all_of(
      greedy.differences, [this](const Difference& d) { return is_near_tie(d); });
  return greedy_equal && rows.largest() <= rows.allowed && (!sampled || sampled->fits()) &&
         (!exact || exact->largest_error <= kExactTolerance);
}

bool Verification::tests_anything() const {
  const bool judges_law =
      !sampled || exact ||
      std::ranges::any_of(sampled->tests, [](const LawTest& test) { return test.p.has_value(); });
  return drafted > 0 && judges_law;
}

void check_settings(engines::Engines& engines, engines::LoadedModel& target,
                    const VerificationPlan& plan) {
  DecoderOptions options = plan.decoder;
  fill_end_tokens(target.tokenizer.get(), options.sampling);
  engines.make_decoder(*target.model, target.tokenizer, options);
}

Verification verify(engines::Engines& engines, engines::LoadedModel& target, VerificationPlan plan,
                    Progress& progress) {
  Verification result;
  fill_end_tokens(target.tokenizer.get(), plan.decoder.sampling);
  DecoderOptions greedy = plan.decoder, plain = plan.decoder;
  greedy.sampling.temperature = 0;
  plain.drafter = {.kind = "plain"};
  plain.sampling.temperature = 0;
  const auto texts = static_cast<double>(plan.requests.size());
  const TokensDone tokens_done = [&](std::size_t tokens) {
    progress.advance(static_cast<double>(tokens));
  };
  progress.begin_phase("verify: greedy texts, plain and speculative", 2 * texts);
  const auto plain_records = decode_all(engines, target, plain, plan, progress),
             greedy_records = decode_all(engines, target, greedy, plan, progress);
  const std::vector<Text> plain_texts = texts_of(plan, plain_records);
  progress.begin_phase("verify: rows alone and side by side",
                       static_cast<double>(output_tokens(plain_texts)));
  result.rows =
      measure_row_noise(*target.model, plain_texts,
                        static_cast<std::size_t>(plan.speculation_length) + 1, tokens_done);
  result.greedy = compare_greedy(engines, *target.model, plan, plain_records, greedy_records);
  auto drafted_records = greedy_records;
  if (plan.decoder.sampling.temperature > 0) {
    progress.begin_phase("verify: sampled texts", texts);
    drafted_records = decode_all(engines, target, plan.decoder, plan, progress);
    progress.begin_phase("verify: the law of sampled texts",
                         static_cast<double>(output_tokens(texts_of(plan, drafted_records))));
    result.sampled =
        test_sampled_law(engines, *target.model, plan.decoder.sampling,
                         sampled_texts(plan, drafted_records), plan.decoder.seed, tokens_done);
    result.exact = enumerate_law(engines, *target.model, plan.decoder, plan.requests.front(),
                                 plan.speculation_length);
  }
  progress.end_phase();
  for (const GenerationRecord& record : drafted_records)
    for (const RoundRecord& round : record.rounds)
      result.drafted += round.drafted, result.accepted += round.accepted;
  return result;
}

std::string verdict_text(const Verification& v, const VerificationPlan& plan,
                         const engines::ModelInfo& model) {
  const engines::DecoderOptions& decoder = plan.decoder;
  std::string text = fmt::format(
      "pair       {} ({}, {}), drafter {}, tree {}, length {}, verifier {}, temperature {:g}\n",
      model.name, model.dtype, model.kernels, decoder.drafter.kind, decoder.drafter.tree,
      plan.speculation_length, decoder.verifier, decoder.sampling.temperature);
  text += greedy_lines(v, plan.requests.size()) + row_lines(v.rows, plan.speculation_length + 1);
  if (v.sampled) text += sampled_lines(*v.sampled);
  text += exact_lines(v.exact);
  text += fmt::format("drafts     {} of {} accepted\n", v.accepted, v.drafted) + blind_spots(v);
  return text + fmt::format("verdict    {}\n", verdict_of(v, decoder));
}

}  // namespace speclab::experiments
