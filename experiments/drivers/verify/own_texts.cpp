#include "experiments/drivers/verify/own_texts.h"

#include <algorithm>

#include "sim/policies/constant_policy.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kLongestOutput = 256;  ///< tokens
constexpr std::size_t kRowsTogether = 16;

/// @param longest  tokens of the output at most; the rest is cut off
Text written_text(engines::RoundDecoder& decoder, const engines::Request& request,
                  std::size_t longest) {
  decoder.begin({request}, ConstantPolicy(0));
  while (decoder.round()) {
  }
  const std::vector<Token>& output = decoder.records().front().output_ids;
  SPECLAB_EXPECT(!output.empty(), "a text of at least one token");
  Text text{request.prompt_ids, request.prompt_ids.size()};
  text.ids.insert(text.ids.end(), output.begin(), output.end());
  text.ids.resize(std::min(text.ids.size(), text.prompt_length + longest));
  return text;
}

/// At least 1: the decoder refuses a prompt that leaves no room, with both sizes.
std::size_t longest_output(const engines::Request& request, const engines::ModelInfo& model,
                           std::size_t positions) {
  const auto context = static_cast<std::size_t>(model.context_length);
  const std::size_t room = context - std::min(context, request.prompt_ids.size());
  return std::max<std::size_t>(1, std::min({positions, kLongestOutput, room}));
}

}  // namespace

OwnTexts write_own_texts(engines::Engines& engines, engines::LoadedModel& target,
                         const std::vector<engines::Request>& requests,
                         const OwnTextSettings& settings, const TokensDone& done) {
  SPECLAB_EXPECT(!requests.empty() && settings.positions >= 1, "prompts and positions");
  const std::size_t prompts = requests.size(),
                    share = (static_cast<std::size_t>(settings.positions) + prompts - 1) / prompts;
  OwnTexts own;
  for (std::size_t prompt = 0; prompt < prompts; ++prompt) {
    const std::size_t longest = longest_output(requests[prompt], target.model->info(), share);
    const auto decoder =
        engines.make_decoder(*target.model, target.tokenizer,
                             {.sampling = {.temperature = 1.0},
                              .stop = {static_cast<std::int32_t>(longest), settings.ignore_eos},
                              .drafter = {.kind = "plain"},
                              .seed = settings.seed});
    std::size_t written = 0;
    for (std::size_t id = prompt; written < share; id += prompts) {
      own.texts.push_back(
          written_text(*decoder, {static_cast<std::uint32_t>(id), requests[prompt].prompt_ids},
                       share - written));
      own.prompt_of.push_back(prompt);
      written += own.texts.back().output_length();
      done(own.texts.back().output_length());
    }
  }
  for (const Text& text : own.texts) {
    own.logits.push_back(own_logits(*target.model, text));
    done(text.output_length());
  }
  return own;
}

std::vector<float> own_logits(engines::LanguageModel& model, const Text& text) {
  std::vector<float> logits;
  logits.reserve((text.ids.size() - text.prompt_length) *
                 static_cast<std::size_t>(model.info().vocab_size));
  visit_logits_of_rows(model, text, kRowsTogether, [&](std::size_t, std::span<const float> row) {
    logits.insert(logits.end(), row.begin(), row.end());
  });
  return logits;
}

}  // namespace speclab::experiments
