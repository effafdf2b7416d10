#include <fmt/format.h>

#include <algorithm>

#include "engines/drafters/next_token_sources.h"
#include "engines/drafters/prompt_matches.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

class CopyNextTokens final : public NextTokens {
 public:
  CopyNextTokens(const DrafterOptions& options, std::int32_t vocab_size)
      : matches_(options),
        vocab_size_(static_cast<std::size_t>(vocab_size)),
        claims_(options.traits().mixes_copies()),
        weight_(options.lookup_weight) {
    if (weight_ && !(*weight_ > 0 && *weight_ <= 1))
      throw ConfigError(
          fmt::format("lookup_weight = {}; allowed: numbers above 0, at most 1", *weight_));
  }

  std::size_t vocab_size() const override { return vocab_size_; }
  void begin(std::span<const Sequence> sequences, std::int32_t) override {
    matches_.begin(sequences.size());
  }
  bool start(const Sequence& sequence, std::int32_t) override {
    copied_ = matches_.continuation(sequence);
    return !copied_.empty();
  }
  std::optional<double> claimed_share(const DraftPlace& place) const override {
    if (!claims_) return std::nullopt;
    return weight_ ? *weight_
                   : matches_.expected(place.sequence,
                                       static_cast<std::size_t>(place.tree[place.node].depth));
  }
  bool knows(const DraftPlace& place) const override {
    return copied_after(copied_, place) != nullptr;
  }
  void law(const DraftPlace& place, Law& law) override {
    law.assign_point_mass(vocab_size_, *copied_after(copied_, place));
  }
  std::span<const LawEntry<float>> most_likely(const DraftPlace& place,
                                               std::size_t count) override {
    entry_ = {*copied_after(copied_, place), 1.0f};
    return std::span(&entry_, 1).first(std::min<std::size_t>(count, 1));
  }
  double likelihood(const DraftPlace& place, Token token) override {
    return token == *copied_after(copied_, place) ? 1.0 : 0.0;
  }

 private:
  PromptMatches matches_;
  std::size_t vocab_size_;
  bool claims_;  ///< a share of a mixture, here or as measured
  std::optional<double> weight_;
  std::span<const Token> copied_;  ///< of the sequence that is being drafted for
  LawEntry<float> entry_;
};

}  // namespace

std::unique_ptr<NextTokens> copy_next_tokens(const DrafterOptions& options,
                                             std::int32_t vocab_size) {
  return std::make_unique<CopyNextTokens>(options, vocab_size);
}

}  // namespace speclab::engines
