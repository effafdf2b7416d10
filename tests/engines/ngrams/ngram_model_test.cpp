#include "engines/ngrams/ngram_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engines/ngrams/ngram_estimation.h"
#include "sim/system/errors.h"
#include "tests/engines/ngrams/slow_ngrams.h"

namespace speclab::engines {
namespace {

using testing::Tokens;
using Entries = std::vector<LawEntry<float>>;

/// The same by asking for every token.
Entries slow_most_likely(const NgramModel& model, const Tokens& context) {
  Entries all;
  for (Token token = 0; token < model.vocab_size(); ++token)
    all.push_back({token, static_cast<float>(model.probability(context, token))});
  std::ranges::stable_sort(
      all, [](const auto& a, const auto& b) { return a.probability > b.probability; });
  all.resize(std::min(all.size(), static_cast<std::size_t>(model.max_successors())));
  return all;
}

void expect_same(const Entries& found, const Entries& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].token, wanted[i].token) << "place " << i;
    EXPECT_EQ(found[i].probability, wanted[i].probability) << "place " << i;
  }
}

TEST(NgramModel, FindsTheMostLikelySuccessors) {
  constexpr std::int32_t kVocab = 40;
  std::mt19937 random(4);
  for (std::int32_t order = 1; order <= 5; ++order)
    for (const std::int32_t most : {1, 3, 16, 255}) {
      auto texts = testing::random_texts(static_cast<unsigned>(random()), kVocab, 3, 400);
      for (Token token = 0; token < kVocab; ++token)
        texts[0].push_back(token);  // all of them are listed
      const NgramModel model = estimate_ngrams(testing::as_ngram_texts(texts), kVocab,
                                               {.order = order, .max_successors = most});
      Entries found;
      for (int trial = 0; trial < 300; ++trial) {
        const Tokens& text = texts[trial % 3];
        const std::size_t end = random() % text.size();
        Tokens context(text.begin() + static_cast<std::ptrdiff_t>(end / 2),
                       text.begin() + static_cast<std::ptrdiff_t>(end));
        if (trial % 4 == 0) context.push_back(static_cast<Token>(random() % kVocab));
        model.most_likely(context, found);
        expect_same(found, slow_most_likely(model, context));
      }
    }
}

TEST(NgramModel, LooksAtItsOrderLessOneTokens) {
  const std::vector<Tokens> texts{{0, 1, 2, 0, 1, 3, 4, 1, 2}};
  const NgramModel model = estimate_ngrams(testing::as_ngram_texts(texts), 5, {.order = 2});
  Entries short_context, long_context;
  model.most_likely(Tokens{1}, short_context);
  model.most_likely(Tokens{4, 0, 1}, long_context);
  expect_same(long_context, short_context);
  EXPECT_EQ(short_context.front().token, 2);
}

TEST(NgramModel, GivesTheUnigramsAfterAContextThatWasNeverSeen) {
  const std::vector<Tokens> texts{{0, 1, 2, 0, 1, 3}};
  const NgramModel model = estimate_ngrams(testing::as_ngram_texts(texts), 9, {.order = 3});
  Entries empty, unseen;
  model.most_likely({}, empty);
  model.most_likely(Tokens{8, 8}, unseen);
  expect_same(unseen, empty);
  EXPECT_EQ(empty.size(), 4u) << "tokens that were never seen are not among them";
}

TEST(NgramModel, SharesTheRestAmongTokensThatWereNeverSeen) {
  const std::vector<Tokens> texts{{0, 1, 2, 0, 1, 3}};
  const NgramModel model = estimate_ngrams(testing::as_ngram_texts(texts), 9, {.order = 3});
  EXPECT_GT(model.probability({}, 8), 0.0);
  EXPECT_EQ(model.probability({}, 8), model.probability({}, 7));
  EXPECT_LT(model.probability({}, 8), model.probability({}, 3));
  EXPECT_THROW(model.probability({}, 9), ContractError);
}

}  // namespace
}  // namespace speclab::engines
