#include "engines/tokenizers/added_tokens.h"

#include <algorithm>

#include "engines/tokenizers/characters.h"

namespace speclab::engines {
namespace {

bool is_inside_a_word(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin > 0 && is_word_character(last_character(text.substr(0, begin)))) ||
         (end < text.size() && is_word_character(first_character(text.substr(end))));
}

}  // namespace

void AddedTokens::add(const AddedToken& token) {
  trie_.add(token.text, static_cast<std::int32_t>(tokens_.size()));
  tokens_.push_back(token);
}

AddedTokens::Match AddedTokens::find(std::string_view text, std::size_t from) const {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    Match match{begin, begin, -1};
    trie_.visit_prefixes(text.substr(begin), [&](std::size_t length, std::int32_t index) {
      match.end = begin + length;
      match.index = index;
    });
    if (match.index >= 0) return match;
  }
  return {text.size(), text.size(), -1};
}

void AddedTokens::split(std::string_view text,
                        const std::function<void(std::size_t, std::size_t)>& plain,
                        const std::function<void(Token)>& found) const {
  std::size_t done = 0;
  for (Match match = find(text, 0); match.index >= 0; match = find(text, match.end)) {
    const AddedToken& token = tokens_[static_cast<std::size_t>(match.index)];
    std::size_t begin = match.begin, end = match.end;
    if (token.single_word && is_inside_a_word(text, begin, end)) continue;
    if (token.lstrip)
      begin = std::max(done, without_final_white_space(text.substr(0, begin)).size());
    if (token.rstrip) end = text.size() - without_first_white_space(text.substr(end)).size();
    if (done < begin) plain(done, begin);
    found(token.id);
    done = end;
  }
  if (done < text.size()) plain(done, text.size());
}

}  // namespace speclab::engines
