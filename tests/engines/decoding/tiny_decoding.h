#pragma once
// Decoders over tiny models, with drafters that agree with the target more or less.

#include <ostream>

#include "engines/decoding/host_round_decoder.h"
#include "engines/decoding/plain_decoder.h"
#include "engines/drafters/drafters.h"
#include "sim/policies/simple_policies.h"
#include "tests/engines/models/tiny_llama.h"
#include "tests/engines/models/tiny_mlp_speculator.h"

namespace speclab::engines::testing {

/// A target and what drafts for it: a transformer whose weights are the target's but for the share
/// `foreign`, the same but for every third token (called "some tokens"), one that reads the
/// target's hidden states (of the kind feature_transformer, or called "features"), an MLP
/// speculator of random weights that drafts the two most frequent tokens, and n-gram models of the
/// target's own text.
class TinyPair final : public DrafterModels {
 public:
  explicit TinyPair(const DecoderShape& config, float foreign = 0.1f, float scale = 8.0f,
                    int threads = 1);

  LanguageModel& target() { return *target_; }
  std::shared_ptr<LanguageModel> language_model(const std::string& kind,
                                                const std::string& model) override {
    if (model == "some tokens") return drafter_of_some_tokens_;
    return kind == "feature_transformer" || model == "features" ? feature_drafter_ : drafter_;
  }
  std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string&) override {
    return mlp_speculator_;
  }
  std::shared_ptr<const NgramModel> ngrams(const std::string& kind, const std::string&) override;

  std::unique_ptr<RoundDecoder> plain(const DecoderOptions& options,
                                      std::shared_ptr<const Tokenizer> tokenizer = nullptr);
  /// The loop with options.drafter and options.verifier.
  std::unique_ptr<RoundDecoder> speculative(const DecoderOptions& options,
                                            std::shared_ptr<const Tokenizer> tokenizer = nullptr);

 private:
  void write_own_text(const DecoderShape& config);

  std::unique_ptr<LanguageModel> target_;
  std::shared_ptr<LanguageModel> drafter_, drafter_of_some_tokens_, feature_drafter_;
  std::shared_ptr<MlpSpeculator> mlp_speculator_;
  std::vector<std::vector<Token>> own_text_;
};

/// A drafter with the shape of its tree.
struct DrafterCase {
  const char* name;
  const char* kind;
  const char* tree = "chain";
  const char* model = "";
  std::vector<DrafterOptions> parts{};

  DrafterOptions options() const {
    return {.kind = kind, .model = model, .tree = tree, .parts = parts};
  }
};
inline void PrintTo(const DrafterCase& drafter, std::ostream* out) { *out << drafter.name; }
/// Every drafter, and several trees.
const std::vector<DrafterCase>& drafter_cases();

/// Runs a batch to its end. @return its records
std::vector<GenerationRecord> decode(RoundDecoder& decoder, const std::vector<Request>& requests,
                                     int speculation_length);
std::vector<GenerationRecord> decode(RoundDecoder& decoder, const std::vector<Request>& requests,
                                     const SpeculationLengthPolicy& policy);

std::vector<std::vector<Token>> output_ids(const std::vector<GenerationRecord>& records);
/// Drafted tokens that all rounds have kept. A comparison with plain decoding says little at 0.
int total_accepted(const std::vector<GenerationRecord>& records);

}  // namespace speclab::engines::testing
