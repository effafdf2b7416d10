#include "engines/interface/text_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "sim/system/errors.h"

namespace speclab::engines {

constexpr double kLargestBias = 1e30;  ///< so that scores stay within float

void TextRules::validate() const {
  std::set<std::vector<Token>> biased;
  for (const SequenceBias& one : sequence_bias) {
    if (one.tokens.empty() || !(std::abs(one.bias) <= kLargestBias))
      throw ConfigError(
          "sequence_bias has an entry without tokens, or whose bias is too large; allowed: "
          "[[tokens], number], numbers up to 1e30 in size");
    if (!biased.insert(one.tokens).second)
      throw ConfigError(fmt::format("sequence_bias has [{}] twice; allowed: each sequence once",
                                    fmt::join(one.tokens, ", ")));
  }
  for (const std::vector<Token>& word : bad_words_ids)
    if (word.empty())
      throw ConfigError("bad_words_ids has an empty list; allowed: lists of at least one token");
  if (min_new_tokens < 0)
    throw ConfigError(
        fmt::format("min_new_tokens = {}; allowed: integers >= 0 (0 is off)", min_new_tokens));
  if (!exponential_decay_length_penalty) return;
  const LengthDecay& decay = *exponential_decay_length_penalty;
  if (decay.start < 0 || !(decay.factor > 0) || !std::isfinite(decay.factor))
    throw ConfigError(
        fmt::format("exponential_decay_length_penalty = [{}, {}]; allowed: an integer >= 0 and a "
                    "number > 0",
                    decay.start, decay.factor));
}

std::vector<Token> TextRules::tokens() const {
  std::vector<Token> all(forced_eos_token_ids);
  const auto add = [&all](const std::vector<Token>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  for (const SequenceBias& one : sequence_bias) add(one.tokens);
  for (const std::vector<Token>& word : bad_words_ids) add(word);
  add(begin_suppress_tokens);
  if (forced_bos_token_id) all.push_back(*forced_bos_token_id);
  return all;
}

}  // namespace speclab::engines
