#include "experiments/drivers/verify/verification.h"

#include <algorithm>
#include <cmath>

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

}  // namespace speclab::experiments
