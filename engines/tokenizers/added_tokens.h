#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/interface/tokenizer.h"
#include "engines/tokenizers/byte_trie.h"

namespace speclab::engines {

/// A token that is found in the text before anything is merged.
struct AddedToken {
  Token id = 0;
  std::string text;
  bool special = true;        ///< found only where SpecialText::parsed
  bool normalized = false;    ///< found in the normalized text, after all that are not
  bool single_word = false;   ///< not beside a letter, a digit or an underscore
  bool lstrip = false;        ///< takes the white space before it along
  bool rstrip = false;        ///< takes the white space after it along
  std::string normal_form{};  ///< looked for in the normalized text; empty: the normalizer's
};

/// Finds tokens in a text: the leftmost first, of those the longest.
/// @source AddedVocabulary of Hugging Face's tokenizers
class AddedTokens {
 public:
  /// @param token  with the text that is looked for, not empty
  void add(const AddedToken& token);
  bool empty() const { return tokens_.empty(); }

  /// Calls `plain(begin, end)` and `found(token)` in the order of the text. White space that a
  /// token takes along is in neither.
  void split(std::string_view text, const std::function<void(std::size_t, std::size_t)>& plain,
             const std::function<void(Token)>& found) const;

 private:
  struct Match {
    std::size_t begin, end;
    std::int32_t index;  ///< in tokens_; -1 if there is none
  };
  Match find(std::string_view text, std::size_t from) const;

  std::vector<AddedToken> tokens_;
  ByteTrie trie_;
};

}  // namespace speclab::engines
