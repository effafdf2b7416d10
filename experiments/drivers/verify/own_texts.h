#pragma once
// Texts that a model wrote itself, with its logits, so that another arithmetic can read them later.

#include <cstdint>
#include <vector>

#include "engines/interface/engines.h"
#include "experiments/drivers/measure/texts.h"

namespace speclab::experiments {

struct OwnTextSettings {
  std::int32_t positions = 2000;  ///< >= 1; all prompts get the same number, rounded up
  std::uint64_t seed = 0;
  bool ignore_eos = false;
};

/// Texts sampled at temperature 1 without cutoffs. The logits outlive the model, so that two models
/// never lie in memory together. They take 4 bytes for each position and token of the vocabulary.
struct OwnTexts {
  std::vector<Text> texts;
  std::vector<std::size_t> prompt_of;      ///< text -> prompt
  std::vector<std::vector<float>> logits;  ///< text -> [tokens of the output, vocab]
};

/// A prompt gets further texts until it has its positions: texts may end early, and none has more
/// than 256 tokens.
/// @param requests  at least one; their sequence_id is not read
/// @param done  told of each token twice: when it is written, and when its logits are kept
/// @throws ConfigError if a prompt fills the context, and what the engines throw
OwnTexts write_own_texts(
    engines::Engines& engines, engines::LoadedModel& target,
    const std::vector<engines::Request>& requests, const OwnTextSettings& settings,
    const TokensDone& done = [](std::size_t) {});

/// Logits before every token of the output, [tokens of the output, vocab], of forwards of 16 rows.
/// The CPU's kernels are row-invariant, so plain decoding samples from the same.
std::vector<float> own_logits(engines::LanguageModel& model, const Text& text);

}  // namespace speclab::experiments
