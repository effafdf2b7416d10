#include "engines/ngrams/ngram_estimation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/system/errors.h"
#include "tests/engines/ngrams/slow_ngrams.h"

namespace speclab::engines {
namespace {

using testing::SlowNgrams;
using testing::Tokens;

/// The n-grams of a level as lists of tokens, oldest first.
std::vector<Tokens> spelled(const std::vector<NgramLevel>& levels, std::size_t n) {
  std::vector<Tokens> ngrams;
  for (std::size_t c = 0; c < levels[n].context_token.size(); ++c)
    for (std::uint32_t i = levels[n].begin[c]; i < levels[n].begin[c + 1]; ++i) {
      Tokens ngram;
      std::size_t context = c;
      for (std::size_t level = n; level > 0; --level) {
        ngram.push_back(levels[level].context_token[context]);
        context = levels[level].parent[context];
      }
      ngram.push_back(levels[n].token[i]);
      ngrams.push_back(ngram);
    }
  return ngrams;
}

void expect_true_counts(const std::vector<Tokens>& texts, std::int32_t vocab_size,
                        std::int32_t order, std::size_t first) {
  const auto spans = testing::as_ngram_texts(texts, first);
  const SlowNgrams slow(spans, vocab_size, order);
  const std::vector<NgramLevel> levels = count_ngrams(spans, vocab_size, order);
  ASSERT_EQ(levels.size(), static_cast<std::size_t>(order));
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const std::vector<Tokens> ngrams = spelled(levels, n);
    std::size_t within = 0;
    for (std::size_t i = 0; i < ngrams.size(); ++i) {
      EXPECT_EQ(static_cast<int>(levels[n].occurrences[i]), slow.occurrences(ngrams[i]));
      EXPECT_EQ(static_cast<int>(levels[n].count[i]), slow.count(ngrams[i]));
      within += std::ranges::count(ngrams[i], vocab_size) == 0;
      if (n > 0) {
        EXPECT_EQ(spelled(levels, n - 1)[levels[n].shorter[i]],
                  Tokens(ngrams[i].begin() + 1, ngrams[i].end()));
      }
    }
    EXPECT_EQ(within, slow.ngrams(n + 1).size()) << "order " << n + 1;
  }
}

TEST(NgramCounts, AreThoseOfTheDefinition) {
  for (std::int32_t order = 1; order <= 5; ++order)
    for (unsigned seed = 0; seed < 4; ++seed)
      expect_true_counts(testing::random_texts(seed, 7, 3, 60), 7, order, seed);
}

TEST(NgramCounts, OfTextsShorterThanAnNgram) {
  expect_true_counts({{1}, {}, {2, 1}, {1, 1, 1}}, 3, 5, 0);
}

TEST(NgramCounts, AreWithinATextNotAcross) {
  const std::vector<Tokens> texts{{1}, {2}};
  const auto levels = count_ngrams(testing::as_ngram_texts(texts), 3, 2);
  EXPECT_EQ(levels[1].context_token, (std::vector<Token>{3}));
}

TEST(NgramCounts, SortContextsFromTheirLatestToken) {
  const std::vector<Tokens> texts{{2, 0, 1, 1, 0, 1, 0, 0, 1}};
  const auto levels = count_ngrams(testing::as_ngram_texts(texts), 3, 3);
  for (std::size_t c = 1; c < levels[2].parent.size(); ++c)
    EXPECT_TRUE(levels[2].parent[c - 1] < levels[2].parent[c] ||
                (levels[2].parent[c - 1] == levels[2].parent[c] &&
                 levels[2].context_token[c - 1] < levels[2].context_token[c]));
}

TEST(NgramCounts, RefuseTokensOutsideTheVocabularyAndNothingToCount) {
  const std::vector<Tokens> outside{{1, 3}}, negative{{-1}}, none{{}, {1, 2}};
  EXPECT_THROW(count_ngrams(testing::as_ngram_texts(outside), 3, 2), ContractError);
  EXPECT_THROW(count_ngrams(testing::as_ngram_texts(negative), 3, 2), ContractError);
  EXPECT_THROW(count_ngrams(testing::as_ngram_texts(none, 2), 3, 2), ContractError);
}

}  // namespace
}  // namespace speclab::engines
