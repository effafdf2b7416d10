#pragma once
// Logged rounds, the text that they say something about, and its replay.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/core/records.h"
#include "sim/monte_carlo/acceptance_process.h"

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

/// Logged generations, replayed: sequence s is generation s of the log, which begins again when it
/// is through. Rounds stand where the policy's lengths bring them in the logged text. Under the
/// logged lengths the logged rounds come back; under others, rounds that reach a token whose draft
/// is not known end before it (RoundTotals::limited counts those), which is the limit of a replay.
class ReplayProcess final : public AcceptanceProcess {
 public:
  /// @throws DataError if there is no generation, or as LoggedText
  explicit ReplayProcess(std::span<const LoggedGeneration> log);

  std::size_t generations() const { return texts_.size(); }
  std::string name() const override { return "replay"; }
  void begin(const RngStream&, std::uint32_t sequence) override;
  int begin_round(std::uint32_t) override;
  DraftLevel level(int index) override;
  void advance(int emitted) override { token_ += emitted; }
  int tokens() const override { return text_->tokens(); }
  bool is_logged() const override { return true; }

 private:
  std::vector<LoggedText> texts_;
  const LoggedText* text_ = nullptr;
  int token_ = 0;
  int accepted_ = 0;  ///< of the round at hand
};

}  // namespace speclab::sim
