#pragma once
// Logged rounds, and the text that they say something about.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/records.h"

namespace speclab::sim {

/// The rounds of one generation as a decoder recorded them, in order.
struct LoggedGeneration {
  std::string prompt;  ///< generations of one prompt are not independent
  std::vector<RoundRecord> rounds;
};

/// What became of the draft for a token of the text; unknown where the token was a bonus.
enum class DraftVerdict : std::uint8_t { accepted, rejected, unknown };

/// One verdict a token, those that a stop rule cut from the last round included.
/// @throws DataError if there is no round, one is not a chain or contradicts itself, or rounds do
/// not follow one another
std::vector<DraftVerdict> verdicts_of(const LoggedGeneration& generation);

/// What a log of chain drafts says about each token of the text that they emitted: a token's draft
/// was accepted, was rejected, or is not known, because the token was a bonus. That does not depend
/// on where rounds begin, so that rounds of other lengths can be laid over the same text.
class LoggedText {
 public:
  /// @throws DataError as verdicts_of
  explicit LoggedText(const LoggedGeneration& generation);

  /// What a draft that begins at a token of the text would meet.
  struct Place {
    std::int32_t available = 0;  ///< levels that can be answered for
    std::int32_t accepted = 0;   ///< of them
  };

  int tokens() const { return tokens_; }  ///< emitted
  /// A logged round begins where it is known as a whole; elsewhere the run of accepted drafts is,
  /// and, where a rejection ends it, that no longer draft goes further; drafts of the log's
  /// greatest depth are then taken to have been made.
  const Place& place(int token) const { return places_[static_cast<std::size_t>(token)]; }

 private:
  std::vector<Place> places_;
  int tokens_ = 0;
};

}  // namespace speclab::sim
