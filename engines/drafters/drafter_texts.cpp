#include "engines/drafters/drafter_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

/// Bytes of the character that the text begins with.
std::size_t first_character(std::string_view text) {
  const Utf8Head head = utf8_head(text);
  return head.state == Utf8State::unfinished ? text.size() : head.length;
}

/// @throws ConfigError if the drafter's tokenizer has no token for a character of the prompt
void check_spelling(const Tokenizer& drafter, std::string_view prompt) {
  if (drafter.num_bytes_without_token(prompt) == 0) return;
  for (std::size_t at = 0, size = 0; at < prompt.size(); at += size) {
    size = first_character(prompt.substr(at));
    const std::string character(prompt.substr(at, size));
    if (drafter.num_bytes_without_token(character) > 0)
      throw ConfigError(fmt::format(
          "the prompt has '{}' at byte {}, which no token of the drafter's tokenizer spells; "
          "allowed: a drafter whose tokenizer spells the prompt",
          escaped(character), at));
  }
}

}  // namespace

void DrafterTexts::begin(std::span<const Sequence> sequences, std::int32_t spare,
                         DraftModel& model) {
  sequences_.assign(sequences.begin(), sequences.end());
  texts_.assign(sequences.size(), RetokenizedText(tokenizers_, look_behind_));
  std::size_t longest = 0;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    check_spelling(*tokenizers_.drafter, tokenizers_.target->decode(sequences[i].tokens));
    texts_[i].read(sequences[i].tokens);
    sequences_[i].tokens = texts_[i].draft_tokens();
    longest = std::max(longest, sequences_[i].tokens.size());
  }
  spare_ = spare;
  room_ = static_cast<std::int32_t>(longest) + kGrowth * spare;
  model.begin(sequences_, kGrowth * spare);
}

const Sequence* DrafterTexts::read(const Sequence& sequence) {
  const auto index = static_cast<std::size_t>(sequence.index);
  RetokenizedText& text = texts_[index];
  text.read(sequence.tokens);
  const std::vector<Token>& tokens = text.draft_tokens();
  sequences_[index].tokens = tokens;
  sequences_[index].round = sequence.round;
  if (tokens.empty()) return nullptr;
  const bool fits = static_cast<std::int32_t>(tokens.size()) + spare_ <= room_;
  return fits ? &sequences_[index] : nullptr;
}

}  // namespace speclab::engines
