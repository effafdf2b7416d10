#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// How tokens are put together to a text.
/// @source the decoders of Hugging Face's tokenizers
struct SpellingRules {
  std::vector<std::string> texts;        ///< of each token, as it stands in a text; empty for none
  std::string dropped_at_first{};        ///< no mark of a blank in the first token; empty for none
  std::vector<std::string> raw_texts{};  ///< with the marks, where the first token drops them
  std::string separator{};               ///< between two tokens
  std::string stripped{};                ///< one character, at both ends of the whole text
  std::size_t strip_begin = 0, strip_end = 0;  ///< how many of it at most
};

/// Puts one text together, token by token.
class Spelling {
 public:
  /// @param rules  outlive this
  explicit Spelling(const SpellingRules& rules) : rules_(&rules), left_(rules.strip_begin) {}

  /// Appends what is certain after `token`. Tokens without text leave nothing.
  void push(Token token, std::string& out);
  // Characters that are held back at the end of a text are dropped: there is nothing to finish.

 private:
  std::string_view text_of(std::size_t index);
  void append(std::string_view text, std::string& out);

  const SpellingRules* rules_;
  std::size_t left_;  ///< characters that may still be stripped at the beginning
  bool is_first_ = true;
  std::string unmarked_;  ///< the first token without its marks
  std::string held_;      ///< characters that are dropped if the text ends here
};

}  // namespace speclab::engines
