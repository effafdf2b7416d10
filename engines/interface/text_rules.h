#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

class TokenMask;

/// A sequence of tokens that becomes likelier or less likely.
struct SequenceBias {
  std::vector<Token> tokens;  ///< at least one
  double bias = 0.0;          ///< added to the score of the last token where the others stand
  bool operator==(const SequenceBias&) const = default;
};

/// The last entry of each sequence, as in the dictionary that generate() makes of a list.
inline std::vector<SequenceBias> last_biases(const std::vector<SequenceBias>& biases) {
  std::map<std::vector<Token>, double> last;
  for (const SequenceBias& one : biases) last[one.tokens] = one.bias;
  std::vector<SequenceBias> kept;
  for (const auto& [tokens, bias] : last) kept.push_back({tokens, bias});
  return kept;
}

/// Ends become likelier the longer the text is.
struct LengthDecay {
  std::int32_t start = 0;  ///< new tokens before it begins
  double factor = 1.0;     ///< > 0
  bool operator==(const LengthDecay&) const = default;
};

/// Rules about whole texts, named and defined as in Hugging Face's generate() 4.49.
struct TextRules {
  std::vector<SequenceBias> sequence_bias{};        ///< one of each sequence
  std::vector<std::vector<Token>> bad_words_ids{};  ///< sequences that never occur
  std::int32_t min_new_tokens = 0;                  ///< no end before so many; 0 is off
  std::optional<Token> forced_bos_token_id{};       ///< the token behind a prompt of one token
  std::vector<Token> forced_eos_token_ids{};        ///< the last token at the full length is one
  std::optional<LengthDecay> exponential_decay_length_penalty{};
  std::vector<Token> begin_suppress_tokens{};  ///< never the first new token
  std::shared_ptr<const TokenMask> mask{};     ///< what the whole text has to match; null: anything
  bool remove_invalid_values = false;          ///< NaN counts as 0, infinity as the largest number
  bool renormalize_logits = false;             ///< scores of beams are logarithms of a law again

  // Lengths that the rules above count from; who makes the decoder knows the prompt.
  std::int32_t prompt_length = 0;
  std::int32_t max_length = 0;  ///< of the whole text, prompt included

  /// Sets the lengths for one prompt.
  void set_lengths(std::size_t prompt_tokens, std::int32_t max_new_tokens) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const auto prompt = static_cast<std::int64_t>(prompt_tokens);
    prompt_length = static_cast<std::int32_t>(std::min(prompt, kMost));
    max_length = static_cast<std::int32_t>(std::min(prompt + max_new_tokens, kMost));
  }
  /// @throws ConfigError naming the first rule out of range
  void validate() const;
  /// All tokens that rules name, each as often as it stands there.
  std::vector<Token> tokens() const;
  /// True if any rule changes scores.
  bool any() const { return looks_back() || remove_invalid_values || renormalize_logits; }
  /// True if a law depends on earlier tokens or their number.
  bool looks_back() const {
    return !sequence_bias.empty() || !bad_words_ids.empty() || min_new_tokens > 0 ||
           forced_bos_token_id || !forced_eos_token_ids.empty() ||
           exponential_decay_length_penalty || !begin_suppress_tokens.empty() || mask;
  }
};

}  // namespace speclab::engines
