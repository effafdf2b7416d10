#pragma once
#include "engines/decoding/decoder_base.h"
#include "engines/verifiers/verifier.h"

namespace speclab::engines {

/// Speculative decoding with any drafter and verifier: draft, one target forward over all drafted
/// rows, verify, commit.
class HostRoundDecoder final : public DecoderBase {
 public:
  HostRoundDecoder(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
                   const DecoderOptions& options, std::unique_ptr<Drafter> drafter,
                   std::unique_ptr<Verifier> verifier);

  void begin(const std::vector<Request>& requests, const SpeculationLengthPolicy& policy) override;
  bool round() override;
  std::string description() const override { return drafter_->name() + " + " + verifier_->name(); }

 private:
  ReadBytes bytes_read() { return {counted_target().bytes_read(), drafter_->bytes_read()}; }
  void select_active();
  void propose();
  void add_rows(const Sequence& sequence, const TokenTree& tree);
  void show_drafts(const ForwardResult& result);
  void verify(const Sequence& sequence, std::size_t active, const ForwardResult& result);
  void apply(Sequence& sequence, std::size_t active, const ForwardResult& result,
             RoundRecord record);
  void show_hidden(const Sequence& sequence, const ForwardResult& result);
  const Law& target_law(const Sequence& sequence, std::size_t active, const ForwardResult& result,
                        TokenTree::Node node);

  std::unique_ptr<Drafter> drafter_;
  std::unique_ptr<Verifier> verifier_;
  std::int32_t tree_rows_;  ///< of a whole tree; a chain never drafts beyond the last token wanted
  std::vector<std::unique_ptr<SpeculationLengthPolicy>> policies_;
  std::vector<Sequence*> active_;           ///< unfinished sequences of this round
  std::vector<const Sequence*> proposing_;  ///< the same, as a drafter sees them
  std::vector<DraftLimit> limits_;
  std::vector<std::int32_t> first_rows_, path_;
  std::vector<Draft> drafts_;
  std::vector<Verdict> verdicts_;
  std::vector<ForwardRow> rows_;
  ReadBytes round_read_;  ///< one sequence's share of the round in hand
  PromptStates prompt_states_;
  std::vector<float> path_hidden_;
  std::vector<Token> history_, emitted_;
  std::vector<TokenFate> fates_;
  Law target_law_;
};

}  // namespace speclab::engines
