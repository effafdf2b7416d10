#include "engines/training/torch/training_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace speclab::engines {
namespace {

/// Every position of a text has the text's temperature as its acceptance; the second drafted token
/// reaches all positions but one.
class ReadsTemperatures : public TrainingTask {
 public:
  Parameters& parameters() override { return parameters_; }
  double backward(Texts) override { return 0; }
  std::vector<Validation> validate(Texts texts) const override {
    std::vector<Validation> sums(2);
    for (const OwnText* text : texts)
      for (std::size_t step = 0; step < 2; ++step) {
        const double positions = static_cast<double>(text->laws.size() - step),
                     value = static_cast<double>(text->temperature);
        sums[step].positions += positions, sums[step].acceptance_rate += value * positions,
            sums[step].loss += 2 * value * positions;
      }
    for (Validation& sum : sums) sum = sum.mean();
    return sums;
  }
  int num_steps() const override { return 2; }
  const char* acceptance_name() const override { return "acceptance_rate"; }

 private:
  Parameters parameters_;
};

OwnText text_of(std::vector<Token> prompt, float value, std::size_t positions) {
  OwnText text{static_cast<std::int32_t>(prompt.size()), value, std::move(prompt), {}, {}};
  text.tokens.resize(text.tokens.size() + positions, static_cast<Token>(100 * value));
  text.laws.resize(positions);
  return text;
}

std::vector<ValidationSpread> spread_of(const std::vector<OwnText>& texts) {
  std::vector<const OwnText*> all;
  for (const OwnText& text : texts) all.push_back(&text);
  return validate_in_clusters(ReadsTemperatures(), all);
}

TEST(ValidationSpread, IsThatOfARatioOfTotalsOverPrompts) {
  const auto spread =
      spread_of({text_of({1, 2}, 0.25f, 4), text_of({1, 2}, 0.75f, 4), text_of({3, 4}, 1.0f, 2)});
  ASSERT_EQ(spread.size(), 2u);
  EXPECT_EQ(spread[0].num_clusters, 2u) << "two texts have one prompt";
  EXPECT_NEAR(spread[0].mean.acceptance_rate, 0.6, 1e-12);
  EXPECT_NEAR(spread[0].mean.loss, 1.2, 1e-12);
  const double residual = 4 - 0.6 * 8;  // and its negative
  EXPECT_NEAR(spread[0].error.acceptance_rate, std::sqrt(2.0 / 1.0 * 2 * residual * residual) / 10,
              1e-12);
  EXPECT_NEAR(spread[0].error.loss, 2 * spread[0].error.acceptance_rate, 1e-12);
}

TEST(ValidationSpread, LeavesOutTextsThatADraftedTokenDoesNotReach) {
  const auto spread = spread_of({text_of({1, 2}, 0.5f, 1), text_of({3, 4}, 1.0f, 3)});
  EXPECT_NEAR(spread[1].mean.acceptance_rate, 1.0, 1e-12);
  EXPECT_TRUE(std::isfinite(spread[1].error.acceptance_rate));
}

TEST(ValidationSpread, TakesEachStretchOfAFileByItself) {
  EXPECT_EQ(spread_of({text_of({1}, 0.25f, 3), text_of({1}, 0.5f, 3), text_of({1}, 0.75f, 3)})[0]
                .num_clusters,
            3u);
  EXPECT_EQ(spread_of({text_of({1, 2}, 0.25f, 3)})[0].error.acceptance_rate, 0)
      << "one cluster tells nothing";
}

TEST(ValidationSpread, HasAColumnForEveryField) {
  const std::string names = validation_columns(2),
                    fields = validation_fields(
                        spread_of({text_of({1, 2}, 0.5f, 3), text_of({3, 4}, 1.0f, 3)}));
  EXPECT_EQ(std::ranges::count(names, ','), 13);
  EXPECT_EQ(std::ranges::count(fields, ','), 13);
  EXPECT_NE(
      names.find(",validation_greedy_agreement_2,validation_clusters,validation_loss_nats_error,"),
      std::string::npos)
      << names;
  EXPECT_NE(fields.find(",2,"), std::string::npos) << fields;
}

}  // namespace
}  // namespace speclab::engines
