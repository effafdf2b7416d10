#pragma once
// The target's own text with the target's law at every emitted position: what drafters learn from.

#include <memory>
#include <string>
#include <vector>

#include "engines/interface/language_model.h"
#include "engines/interface/tokenizer.h"
#include "engines/interface/training.h"

namespace speclab::engines {

/// The most likely tokens of the target's law at temperature 1, in falling order.
struct TopLaw {
  static constexpr std::size_t kSize = 32;
  Token tokens[kSize];
  float probabilities[kSize];
  float log_partition;  ///< log of the sum of exp(logit) over the vocabulary
};

/// One generation. laws[i] is the law of tokens[prompt_length + i].
struct OwnText {
  std::int32_t prompt_length = 0;
  float temperature = 0;
  std::vector<Token> tokens;
  std::vector<TopLaw> laws;
  std::vector<std::uint16_t> hidden;  ///< [tokens - 1, kept_state_size], bfloat16: the target's
                                      ///< after every token but the last; empty unless kept

  std::int32_t state_size() const {
    return static_cast<std::int32_t>(tokens.size() < 2 ? 0 : hidden.size() / (tokens.size() - 1));
  }
};

/// How many values of the target's hidden states are kept of a token.
std::int32_t kept_state_size(const ModelInfo& target, const OwnTextOptions& options);

/// One teacher-forced pass over the text: the laws of its emitted tokens, and of all hidden states
/// the first `state_size` values.
/// @param cache  with room for the text in one slot
void add_laws(LanguageModel& target, KvCache& cache, std::int32_t state_size, OwnText& text);

/// Generates what the cache file does not hold yet, a batch at a time; every finished batch is
/// appended and synced.
/// @throws DataError if the cache file is damaged or was made from other prompts or settings
std::vector<OwnText> make_own_text(LanguageModel& target,
                                   const std::shared_ptr<const Tokenizer>& tokenizer,
                                   const OwnTextOptions& options, const TrainCallbacks& callbacks);

/// What a drafter is trained on and what it is measured on. Pointers into the texts.
struct TextSplit {
  std::vector<const OwnText*> training, held_out;
};

/// Holds out the first `num_held_out` texts that have emitted tokens; of the others, those with a
/// prompt of a text held out are left out.
TextSplit split_texts(const std::vector<OwnText>& texts, std::size_t num_held_out);
/// The texts of a training other than of n-grams: as above, or where they are stretches of files,
/// which have no prompts, the first schedule.validation_sequences and the rest.
TextSplit split_texts(const std::vector<OwnText>& texts, const TrainOptions& options);

}  // namespace speclab::engines
