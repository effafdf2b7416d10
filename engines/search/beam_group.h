#pragma once
// One group of beams: its open texts, those it has finished, and a step of it.

#include <cstdint>
#include <span>
#include <vector>

#include "engines/interface/language_model.h"
#include "engines/interface/round_decoder.h"
#include "engines/search/forced_words.h"
#include "engines/search/row_scorer.h"
#include "sim/core/chance.h"

namespace speclab::engines {

/// How long a text may get, and where its new tokens begin.
struct BeamLengths {
  std::int32_t prompt = 0, longest = 0;
};

/// The best texts that a group of beams has finished. Keeps as many texts as the group has beams.
/// @source BeamHypotheses of transformers 4.49
class FinishedBeams {
 public:
  FinishedBeams(const SearchOptions& options, std::size_t size) : options_(options), size_(size) {}

  /// @param log_probability  of all its new tokens, in nats
  void add(FoundSequence sequence, double log_probability);
  /// Whether no open beam is worth going on with.
  /// @param best  log-probability of the best candidate of the last step
  /// @param length  of the texts after that step, prompt included
  bool are_final(double best, std::int32_t length, const BeamLengths& lengths) const;
  const std::vector<FoundSequence>& sequences() const { return sequences_; }

 private:
  double score(double log_probability, std::int32_t new_tokens) const;

  const SearchOptions& options_;
  std::size_t size_;
  std::vector<FoundSequence> sequences_;
  double worst_ = 1e9;
};

/// An open text.
struct Beam {
  std::vector<Token> tokens;     ///< prompt and new tokens
  double log_probability = 0.0;  ///< sum of its scores, in nats
  std::int32_t row = 0;  ///< of the last forward that read it, or of its parent behind a step
  ForcedWords words{};   ///< that it must have
};

/// Inputs of a step of a group.
struct BeamStep {
  const ForwardResult& result;
  std::span<const Token> rivals;  ///< last tokens of the groups before
  Chance& chance;
  std::uint32_t sequence, first_draw;  ///< key of its draws
};

/// @source BeamSearchScorer of transformers 4.49
class BeamGroup {
 public:
  /// @param ends  tokens that end a text
  BeamGroup(const DecoderOptions& options, std::vector<Token> ends, const BeamLengths& lengths);

  void begin(std::span<const Token> prompt);
  /// Chooses the beams that go on, and puts texts that end aside.
  void step(RowScorer& scorer, const BeamStep& step);
  /// Open beams count as finished too; those that lack a forced word only if those that have all
  /// are fewer than num_return_sequences.
  void finish(StopReason reason);

  bool is_done() const { return is_done_; }
  std::vector<Beam>& beams() { return beams_; }
  const std::vector<Beam>& beams() const { return beams_; }
  const FinishedBeams& finished() const { return finished_; }

 private:
  std::size_t num_candidates() const;
  std::vector<Candidate> best_candidates(RowScorer& scorer, const BeamStep& step) const;
  std::vector<Candidate> drawn_candidates(RowScorer& scorer, const BeamStep& step) const;
  std::vector<ForcedCandidate> forcing_candidates(RowScorer& scorer, const BeamStep& step) const;
  bool is_end(Token token) const;
  std::vector<Candidate> without_ends(const std::vector<Candidate>& candidates);
  std::vector<Candidate> beside_forcing(const std::vector<Candidate>& likely,
                                        const std::vector<ForcedCandidate>& forcing) const;
  void go_on(const std::vector<Candidate>& candidates);
  Beam continued(const Candidate& candidate) const;
  bool is_same_text(const Candidate& a, const Candidate& b) const;
  void drop_doubles(std::vector<Candidate>& candidates) const;
  FoundSequence text_of(const Beam& beam, StopReason reason) const;

  const DecoderOptions& options_;
  std::vector<Token> ends_;
  BeamLengths lengths_;
  std::size_t size_;
  std::vector<Beam> beams_;
  FinishedBeams finished_;
  bool is_done_ = false;
};

}  // namespace speclab::engines
