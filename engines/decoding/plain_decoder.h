#pragma once
#include "engines/decoding/decoder_base.h"
#include "sim/core/chance.h"

namespace speclab::engines {

/// One token a forward: the baseline of every speed-up.
class PlainDecoder final : public DecoderBase {
 public:
  PlainDecoder(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
               const DecoderOptions& options);

  void begin(const std::vector<Request>& requests, const SpeculationLengthPolicy& policy) override;
  bool round() override;
  std::string description() const override { return "plain"; }

 private:
  Token sample_next(const Sequence& sequence, std::span<const float> logits);

  std::shared_ptr<Chance> chance_;
  Law law_;
  std::vector<float> scratch_;
  std::vector<ForwardRow> rows_;
};

}  // namespace speclab::engines
