#include "experiments/bench/tree_drafting/stored_tokens.h"

#include <algorithm>

#include "engines/sampling/logits_pipeline.h"
#include "experiments/bench/verification/drawn_drafts.h"

namespace speclab::bench {
namespace {

std::vector<LawEntry<float>> likeliest(const Law& law) {
  std::vector<LawEntry<float>> entries;
  for (const float probability : law.dense_values())
    entries.push_back({static_cast<Token>(entries.size()), probability});
  std::ranges::partial_sort(entries, entries.begin() + StoredTokens::kMostLikely,
                            is_likelier<float>);
  entries.resize(StoredTokens::kMostLikely);
  return entries;
}

}  // namespace

StoredTokens::StoredTokens(std::size_t vocab_size, double temperature)
    : vocab_size_(vocab_size), laws_(kNumLaws) {
  const Logits logits(vocab_size, kNumLaws);
  engines::LogitsPipeline pipeline({.temperature = temperature}), plain_pipeline({});
  Law plain;
  for (std::size_t i = 0; i < kNumLaws; ++i) {
    pipeline.law(logits.draft[i], {}, laws_[i]);
    plain_pipeline.law(logits.draft[i], {}, plain);
    likely_.push_back(likeliest(plain));
  }
}

std::span<const LawEntry<float>> StoredTokens::most_likely(const engines::DraftPlace& place,
                                                           std::size_t count) {
  return std::span<const LawEntry<float>>(likely_[index(place)])
      .first(std::min(count, kMostLikely));
}

}  // namespace speclab::bench
