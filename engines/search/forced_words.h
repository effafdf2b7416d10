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

// The beams that go on if texts must have words: some of the likely ones, some that further words.

/// A text with one more token, before it is chosen.
struct Candidate {
  std::int32_t beam = 0;  ///< of the group
  Token token = 0;
  double log_probability = 0.0;
};

/// A candidate, and how far its text has come with the words.
struct ForcedCandidate {
  Candidate candidate;
  std::int64_t progress = 0;
};

/// The first `count` candidates in turn: the best of each progress, then the second best of each,
/// the farthest first. Progress counts as much as 100 nats. Candidates of equal progress form two
/// runs if another progress stands between them.
/// @source ConstrainedBeamSearchScorer of transformers 4.49
std::vector<Candidate> chosen_in_turn(std::vector<ForcedCandidate> candidates, std::size_t count);

}  // namespace speclab::engines
