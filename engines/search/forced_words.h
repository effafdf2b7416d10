#pragma once
// How far a text has come with the words that it must have.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines {

/// Token sequences, one of which stands in the text; none begins with another.
using WordForms = std::vector<std::vector<Token>>;

/// The words of one text. A token furthers one word alone. A word that breaks off begins anew, and
/// the token that broke it begins no other.
/// @source ConstraintListState of transformers 4.49
class ForcedWords {
 public:
  ForcedWords() = default;
  /// @param words  outlive this and its copies
  explicit ForcedWords(std::span<const WordForms> words);

  void add(Token token);
  bool are_met() const { return open_.empty() && !begun_; }
  /// Grows with met words first, then with the tokens of the begun one.
  std::int64_t progress() const;

  /// A token that furthers a word, and the progress that transformers sees behind it.
  struct Step {
    Token token = 0;
    std::int64_t progress = 0;
  };
  /// Next tokens of the begun word, or else of every open one. A token can stand there twice.
  std::vector<Step> steps() const;

  /// A word that is not met, and how many tokens of it the text ends with.
  struct Unmet {
    const WordForms& forms;
    std::vector<Token> path;
  };
  std::vector<Unmet> unmet() const;

 private:
  bool begin_word(Token token);
  bool go_on(Token token);

  std::span<const WordForms> words_{};
  std::vector<std::size_t> open_{};  ///< neither met nor begun; those that broke off come last
  std::optional<std::size_t> begun_{};
  std::vector<Token> path_{};  ///< of the begun word
  std::int64_t num_met_ = 0;
};

}  // namespace speclab::engines
