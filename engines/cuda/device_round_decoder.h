#pragma once
#include <memory>

#include "engines/cuda/device_rounds.h"
#include "engines/cuda/llama_cuda.h"
#include "engines/decoding/decoder_base.h"

namespace speclab::engines {
class NextTokens;
}

namespace speclab::engines::cuda {

/// What drafts for rounds on the device: a model there, or the host; nothing for "plain" and
/// "none".
struct DeviceDrafter {
  std::shared_ptr<LanguageModel> model{};
  std::unique_ptr<Drafter> on_host{};
};

/// Plain and speculative decoding of one sequence whose rounds stay on the device: chains and trees
/// of a fixed shape from a small transformer or from the host, verified by match at temperature 0
/// and by the ratio test above it. Tokens, draws and records are those of the host's decoders, up
/// to rounding.
class DeviceRoundDecoder final : public DecoderBase {
 public:
  /// @param target   a model of this device, else ContractError
  /// @param drafter  its model likewise
  /// @throws ConfigError naming the setting that rounds on the device do not support
  DeviceRoundDecoder(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
                     const DecoderOptions& options, DeviceDrafter drafter);
  ~DeviceRoundDecoder() override;
  /// @throws ConfigError as the constructor, for what can be known before a drafter is loaded
  static void check(const DecoderOptions& options);

  /// @throws ConfigError if there is more than one request
  void begin(const std::vector<Request>& requests, const SpeculationLengthPolicy& policy) override;
  bool round() override;
  std::string description() const override {
    return options().drafter.kind + " + " + options().verifier + ", rounds on the device";
  }

 private:
  bool reads_states() const { return drafter_ && drafter_->info().feature_size > 0; }
  CachedModel begin_draft(const Sequence& sequence);
  /// States of the target behind tokens [begin, end) of the prompt, as far as the drafter reads
  /// them.
  std::span<const float> prompt_features(std::int32_t begin, std::int32_t end);
  std::int32_t draft_length(const Sequence& sequence, std::int32_t& forced);
  /// Whether the drafter's model has positions for a draft of this length.
  bool fits_model(const Sequence& sequence, std::int32_t length) const;
  /// Has everything ready that a round's graph reads of a draft of this length, or of the one that
  /// the host makes.
  DraftSize prepare_draft(const Sequence& sequence, std::int32_t length);
  /// Tells the rounds what of the text may follow.
  void copy_text(const Sequence& sequence, std::int32_t length);
  DraftSize draft_on_host(const Sequence& sequence, std::int32_t length);
  void catch_up(const Sequence& sequence);
  /// What catch_up feeds a drafter that reads states.
  void read_prompt(LanguageModel& counted, const Sequence& sequence);
  /// Bytes that a graph of a round reads. @param length  of the draft: a drafter forward a level
  ReadBytes graph_bytes(const Sequence& sequence, std::int32_t length);
  void apply(Sequence& sequence, const DraftSize& size, const RoundResult& result,
             std::int64_t host_ns);

  std::shared_ptr<LanguageModel> drafter_;
  std::unique_ptr<Drafter> host_drafter_;
  Draft draft_;                         ///< of host_drafter_
  std::unique_ptr<NextTokens> copies_;  ///< of a mixture; null: laws are the model's alone
  TokenTree copied_;                    ///< a chain
  std::vector<Token> copied_tokens_;
  std::vector<double> copied_shares_;
  std::unique_ptr<KvCache> draft_cache_;
  PromptStates prompt_states_;
  std::vector<float> features_;
  DeviceRounds rounds_;
  std::unique_ptr<SpeculationLengthPolicy> policy_;
  std::int32_t draft_known_ =
      0;  ///< tokens of the sequence whose keys and values the drafter's cache holds
  std::int64_t draft_ns_ = 0;        ///< spent on reading them before this round's graph
  std::int64_t catch_up_bytes_ = 0;  ///< read meanwhile
  std::vector<Token> emitted_;
  std::vector<TokenFate> fates_;
};

}  // namespace speclab::engines::cuda
