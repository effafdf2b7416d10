#include "engines/tokenizers/special_tokens.h"

#include <algorithm>
#include <functional>

namespace speclab::engines {

void SpecialTokens::add(const std::string& text, Token token) {
  tokens_.emplace(text, token);
  begins_token_[static_cast<unsigned char>(text[0])] = true;
  const auto place =
      std::lower_bound(lengths_.begin(), lengths_.end(), text.size(), std::greater<>());
  if (place == lengths_.end() || *place != text.size()) lengths_.insert(place, text.size());
}

SpecialTokens::Match SpecialTokens::find(std::string_view text) const {
  Match match{text.size(), 0, 0};
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (begins_token_[static_cast<unsigned char>(text[begin])] &&
        match_at(text.substr(begin), match)) {
      match.begin = begin;
      return match;
    }
  }
  return match;
}

bool SpecialTokens::match_at(std::string_view text, Match& match) const {
  for (const std::size_t length : lengths_) {
    if (length > text.size()) continue;
    const auto found = tokens_.find(std::string(text.substr(0, length)));
    if (found == tokens_.end()) continue;
    match.length = length;
    match.token = found->second;
    return true;
  }
  return false;
}

}  // namespace speclab::engines
