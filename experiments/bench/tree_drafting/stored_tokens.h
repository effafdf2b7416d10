#pragma once
#include <vector>

#include "engines/drafters/next_tokens.h"

namespace speclab::bench {

/// A drafter's model whose forwards cost nothing and whose laws were made beforehand; to be asked
/// for one is to copy it.
class StoredTokens final : public engines::NextTokens {
 public:
  static constexpr std::size_t kNumLaws = 16, kMostLikely = 8;

  /// @param temperature  of the laws; at 0 each has one token
  StoredTokens(std::size_t vocab_size, double temperature);

  std::size_t vocab_size() const override { return vocab_size_; }
  bool start(const engines::Sequence&, std::int32_t) override { return true; }
  void law(const engines::DraftPlace& place, Law& law) override { law = laws_[index(place)]; }
  std::span<const LawEntry<float>> most_likely(const engines::DraftPlace& place,
                                               std::size_t count) override;
  double likelihood(const engines::DraftPlace&, Token) override { return 1.0; }

 private:
  /// Of the law of a place, so that neighbours differ and drafts have another form from token to
  /// token.
  static std::size_t index(const engines::DraftPlace& place) {
    return static_cast<std::size_t>(place.tree[place.node].token + place.tree[place.node].depth) %
           kNumLaws;
  }

  std::size_t vocab_size_;
  std::vector<Law> laws_;
  std::vector<std::vector<LawEntry<float>>> likely_;
};

}  // namespace speclab::bench
