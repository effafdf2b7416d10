#include "engines/drafters/retokenized_text.h"

#include <algorithm>

#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

/// The tokens of the last bytes of a text; none where a token reaches into them.
std::vector<Token> last_tokens(const Tokenizer& tokenizer, const std::string& text,
                               std::size_t num_bytes) {
  const std::vector<Token> tokens = tokenizer.encode(text, SpecialText::parsed);
  const std::ptrdiff_t before = tokens_before_last(tokenizer, tokens, num_bytes);
  return before < 0 ? std::vector<Token>() : std::vector(tokens.begin() + before, tokens.end());
}

/// Without the begin that the tokenizer puts before every text.
std::span<const Token> without_begin(const Tokenizer& tokenizer, std::span<const Token> tokens) {
  const std::vector<Token>& begin = tokenizer.roles().before;
  const bool has_begin =
      tokens.size() >= begin.size() && std::ranges::equal(tokens.first(begin.size()), begin);
  return has_begin ? tokens.subspan(begin.size()) : tokens;
}

bool begins_within_character(const Tokenizer& tokenizer, Token token) {
  const std::string bytes = bytes_of_token(tokenizer, token);
  return !bytes.empty() && continues_character(bytes[0]);
}

/// The place of the last `look_behind` tokens, or a little before, at the begin of a character.
std::size_t begin_of_window(const Tokenizer& tokenizer, std::span<const Token> tokens,
                            std::size_t look_behind) {
  std::size_t begin = tokens.size() - std::min(look_behind, tokens.size());
  while (begin > 0 && begin < tokens.size() && begins_within_character(tokenizer, tokens[begin]))
    --begin;
  return begin;
}

}  // namespace

std::string bytes_of_token(const Tokenizer& tokenizer, Token token) {
  const std::string bytes = tokenizer.token_bytes(token);
  return bytes.empty() ? tokenizer.token_text(token) : bytes;
}

std::string bytes_of_tokens(const Tokenizer& tokenizer, std::span<const Token> tokens) {
  std::string bytes;
  for (const Token token : tokens) bytes += bytes_of_token(tokenizer, token);
  return bytes;
}

std::ptrdiff_t tokens_before_last(const Tokenizer& tokenizer, std::span<const Token> tokens,
                                  std::size_t num_bytes) {
  std::size_t behind = 0;
  auto before = static_cast<std::ptrdiff_t>(tokens.size());
  while (behind < num_bytes && before > 0)
    behind += bytes_of_token(tokenizer, tokens[static_cast<std::size_t>(--before)]).size();
  return behind == num_bytes ? before : -1;
}

/// No character has more than four bytes.
std::string_view without_unfinished(std::string_view text) {
  for (std::size_t held = 1; held <= std::min<std::size_t>(3, text.size()); ++held)
    if (utf8_head(text.substr(text.size() - held)).state == Utf8State::unfinished)
      return text.substr(0, text.size() - held);
  return text;
}

std::vector<Token> spelled_behind(const Tokenizer& target, std::span<const Token> standing,
                                  std::string_view text, std::size_t look_behind) {
  const std::size_t seen =
      look_behind > 0 ? std::min(look_behind, standing.size()) : standing.size();
  const std::string before = bytes_of_tokens(target, standing.last(seen));
  std::vector<Token> tokens = last_tokens(target, before + std::string(text), text.size());
  if (tokens.empty()) tokens = last_tokens(target, std::string(text), text.size());
  return bytes_of_tokens(target, tokens) == text ? tokens : std::vector<Token>();
}

void RetokenizedText::read(std::span<const Token> target_tokens) {
  const std::string added =
      pending_ + bytes_of_tokens(*tokenizers_.target, target_tokens.subspan(num_read_));
  const bool can_look_behind = look_behind_ > 0 && num_read_ > 0;
  if (!can_look_behind || !spell_end(added)) spell_whole(target_tokens);
  num_read_ = target_tokens.size();
}

void RetokenizedText::spell_whole(std::span<const Token> target_tokens) {
  const std::string text = take_whole_characters(
      tokenizers_.target->decode(without_begin(*tokenizers_.target, target_tokens)));
  draft_tokens_ = tokenizers_.drafter->roles().before;
  const std::vector<Token> spelled = tokenizers_.drafter->encode(text, SpecialText::parsed);
  draft_tokens_.insert(draft_tokens_.end(), spelled.begin(), spelled.end());
}

/// The old spelling stays up to the first place in the window behind which both spellings agree on
/// a token's end and on the token before it.
/// @return false where they agree nowhere
bool RetokenizedText::spell_end(const std::string& added) {
  const Tokenizer& tokenizer = *tokenizers_.drafter;
  const std::size_t first = begin_of_window(tokenizer, draft_tokens_, look_behind_);
  const std::span window = std::span(draft_tokens_).subspan(first);
  std::string behind = take_whole_characters(added);  // the place, until the end of the text
  const std::vector<Token> spelled =
      tokenizer.encode(bytes_of_tokens(tokenizer, window) + behind, SpecialText::parsed);
  std::size_t num_bytes = bytes_of_tokens(tokenizer, window).size() + behind.size();
  for (std::size_t kept = 0; kept < window.size(); ++kept) {
    num_bytes -= bytes_of_token(tokenizer, window[kept]).size();
    const std::ptrdiff_t same = tokens_before_last(tokenizer, spelled, num_bytes);
    if (same <= 0 || spelled[static_cast<std::size_t>(same) - 1] != window[kept]) continue;
    draft_tokens_.resize(first + kept + 1);
    draft_tokens_.insert(draft_tokens_.end(), spelled.begin() + same, spelled.end());
    return true;
  }
  return false;
}

/// The rest becomes pending.
std::string RetokenizedText::take_whole_characters(std::string text) {
  const std::size_t whole = without_unfinished(text).size();
  pending_ = text.substr(whole);
  text.resize(whole);
  return text;
}

}  // namespace speclab::engines
