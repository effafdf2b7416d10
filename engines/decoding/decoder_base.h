#pragma once
// What plain and speculative decoding share: sequences, prefill, emission under the stop rules,
// records.

#include <memory>
#include <vector>

#include "engines/interface/drafter.h"
#include "engines/interface/language_model.h"
#include "engines/interface/round_decoder.h"
#include "engines/models/wrapped_models.h"
#include "engines/sampling/logits_pipeline.h"
#include "engines/sampling/stop_rules.h"

namespace speclab::engines {

class DecoderBase : public RoundDecoder {
 public:
  /// @param target  outlives the decoder
  DecoderBase(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
              const DecoderOptions& options);

  const std::vector<GenerationRecord>& records() const override { return records_; }
  void finish() override;

 protected:
  /// Hidden states of prompt tokens, [sequence][tokens - 1, hidden_size].
  using PromptStates = std::vector<std::vector<float>>;

  /// Makes the sequences and commits all but the last token of their prompts. @param states  null
  /// where nobody reads them
  void begin_sequences(const std::vector<Request>& requests, std::int32_t spare_rows,
                       PromptStates* states = nullptr);
  /// Appends tokens[i] with fates[i] until a stop rule ends the sequence. @return how many were
  /// kept
  std::int32_t emit(Sequence& sequence, std::span<const Token> tokens,
                    std::span<const TokenFate> fates);
  /// Notes the log-probabilities of the tokens that emit has kept, if they are asked for.
  /// @param rows  rows[i] of `result` has the logits that tokens[i] was chosen from
  void note_log_probabilities(const Sequence& sequence, std::span<const Token> kept,
                              const ForwardResult& result, std::span<const std::int32_t> rows);
  /// @param read  its share of what the round's forwards read
  void record_round(const Sequence& sequence, const RoundRecord& round, const ReadBytes& read);
  void record_bridge(const Sequence& sequence, std::optional<BridgeUse> use);
  std::int32_t remaining(const Sequence& sequence) const;  ///< tokens it may still emit
  bool all_finished() const;

  LanguageModel& target() { return target_; }
  CountedModel& counted_target() { return counted_target_; }  ///< for forwards of rounds
  KvCache& cache() { return *cache_; }
  LogitsPipeline& pipeline() { return pipeline_; }
  std::vector<Sequence>& sequences() { return sequences_; }
  const DecoderOptions& options() const { return options_; }

 private:
  void make_room(std::size_t num_sequences, std::int32_t capacity);
  void prefill(const Sequence& sequence, std::vector<float>* states);

  LanguageModel& target_;
  CountedModel counted_target_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  DecoderOptions options_;
  LogitsPipeline pipeline_;
  std::unique_ptr<KvCache> cache_;
  std::size_t cache_sequences_ = 0;
  std::vector<Sequence> sequences_;
  std::vector<StopRules> stop_rules_;
  std::vector<GenerationRecord> records_;
};

/// @throws ConfigError if the prompt is empty, has a token outside the vocabulary, or leaves no
/// room for the new tokens in the context
void check_request(const Request& request, const ModelInfo& model, std::int32_t max_new_tokens);

}  // namespace speclab::engines
