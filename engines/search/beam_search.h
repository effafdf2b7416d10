#pragma once
// Beam search, beam sampling, diverse and constrained beams over one prompt.

#include <functional>
#include <memory>

#include "engines/interface/round_decoder.h"
#include "engines/interface/tokenizer.h"
#include "engines/models/wrapped_models.h"
#include "engines/search/beam_drafts.h"
#include "engines/search/beam_group.h"

namespace speclab::engines {

/// All beams are rows of one forward. They share the cache: a beam that forks copies nothing.
class BeamSearch {
 public:
  /// @param target  outlives the search @param tokenizer  for stop strings; may be null
  /// @param chance  of beams that are drawn @param drafter  of the options; null: none
  /// @throws ConfigError if an option is out of range or contradicts another
  BeamSearch(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
             const DecoderOptions& options, Chance& chance,
             std::unique_ptr<Drafter> drafter = nullptr);
  BeamSearch(const BeamSearch&) = delete;
  BeamSearch& operator=(const BeamSearch&) = delete;

  /// @param check  is called before every forward
  SearchRecord run(const Request& request, const std::function<void()>& check);

 private:
  void prefill();
  /// One forward, and every step that its rows allow. @return true if the search is over
  bool round(const Request& request, StopReason& reason);
  std::vector<ForwardRow> rows_of_beams();
  /// @return steps that the drafts foretell
  std::int32_t add_drafts(std::vector<ForwardRow>& rows);
  void record_round(RoundRecord round, std::int64_t step_ns);
  void step_groups(const ForwardResult& result, std::uint32_t sequence);
  void keep_parents();
  bool is_over(StopReason& reason) const;
  bool have_stop_strings() const;
  std::vector<FoundSequence> best_sequences() const;

  CountedModel target_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  DecoderOptions options_;
  Chance& chance_;
  std::vector<Token> ends_;
  RowScorer scorer_;
  BeamDrafts drafts_;
  BeamLengths lengths_;
  std::unique_ptr<KvCache> cache_;
  std::int32_t slot_ = 0;
  std::vector<BeamGroup> groups_;
  std::vector<std::int32_t> branches_;  ///< of each row of the next forward: its parent
  std::vector<Token> prompt_;
  std::int64_t begun_ns_ = 0;
  std::int32_t num_steps_ = 0;  ///< done, those that drafts foretold too
  SearchRecord record_;
};

}  // namespace speclab::engines
