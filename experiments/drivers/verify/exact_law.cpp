#include "experiments/drivers/verify/verification.h"

#include <cmath>
#include <map>

#include "experiments/drivers/generate/texts.h"
#include "sim/core/forking_chance.h"
#include "sim/policies/simple_policies.h"

namespace speclab::experiments {
namespace {

constexpr std::int32_t kLargestVocabulary = 8;
constexpr std::int32_t kEnumeratedTokens = 3;
constexpr std::int64_t kMostPaths = 1'000'000;

using JointLaw = std::map<std::vector<Token>, double>;

/// Probability of each output under the target alone, token after token.
JointLaw target_law(engines::Engines& engines, engines::LanguageModel& target,
                    const engines::SamplingOptions& sampling, const engines::Request& request,
                    const JointLaw& written) {
  JointLaw joint;
  for (const auto& [output, probability] : written) {
    Text text{request.prompt_ids, request.prompt_ids.size()};
    text.ids.insert(text.ids.end(), output.begin(), output.end());
    double product = 1.0;
    visit_plain_logits(target, text, [&](std::size_t index, std::span<const float> logits) {
      const std::vector<double> row(logits.begin(), logits.end());
      product *=
          engines.law(sampling, row,
                      std::span(text.ids).first(index))[static_cast<std::size_t>(text.ids[index])];
    });
    joint[output] = product;
  }
  return joint;
}

}  // namespace

std::optional<ExactLaw> enumerate_law(engines::Engines& engines, engines::LanguageModel& target,
                                      const engines::DecoderOptions& options,
                                      const engines::Request& request, int speculation_length) {
  if (target.info().vocab_size > kLargestVocabulary) return std::nullopt;
  const auto chance = std::make_shared<ForkingChance>();
  engines::DecoderOptions forked = options;
  forked.chance = chance;
  forked.stop = {.max_new_tokens = kEnumeratedTokens, .ignore_eos = true};
  const auto decoder = engines.make_decoder(target, nullptr, forked);
  ExactLaw result{.tokens = kEnumeratedTokens};
  JointLaw written;
  do {
    if (result.paths == kMostPaths) return std::nullopt;
    decoder->begin({request}, ConstantPolicy(speculation_length));
    while (decoder->round()) {
    }
    written[decoder->records().front().output_ids] += chance->probability();
    ++result.paths;
  } while (chance->next_path());
  result.outputs = static_cast<std::int64_t>(written.size());
  double mass = 0.0;
  for (const auto& [output, probability] :
       target_law(engines, target, options.sampling, request, written)) {
    result.largest_error =
        std::max(result.largest_error, std::abs(probability - written.at(output)));
    mass += probability;
  }
  result.largest_error =
      std::max(result.largest_error, std::abs(1.0 - mass));  // what the decoder never writes
  return result;
}

}  // namespace speclab::experiments
