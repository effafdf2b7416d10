// Sentences that a reader takes away, of groups made by hand.

#include "analysis/report/page.h"

#include <gtest/gtest.h>

namespace speclab::analysis {
namespace {

class Answer : public ::testing::Test {
 protected:
  Group group(const std::string& drafter, double speedup, Interval interval) const {
    Group made;
    made.axes.model = "base";
    made.axes.drafter = drafter;
    made.category = "all";
    made.summary.n_prompts = 7;
    made.summary.n_rows = 7;
    made.summary.speedup = Estimate{.value = speedup, .interval = interval, .n = 7};
    return made;
  }
  Group plain() const {
    Group made = group("none", 1, {1, 1});
    made.summary.speedup.reset();
    return made;
  }
  std::string worth(const Group& drafting) const {
    return worth_sentence({run_, {plain(), drafting}, {}});
  }

  analysis::Run run_;
};

/// Defect: a gain or a loss is claimed although the interval holds 1.
TEST_F(Answer, ClaimsAGainOnlyWhereTheIntervalExcludesOne) {
  const std::string open = worth(group("bigram", 1.1, {0.9, 1.3})),
                    gain = worth(group("bigram", 1.4, {1.2, 1.6})),
                    loss = worth(group("bigram", 0.8, {0.7, 0.9}));
  EXPECT_TRUE(open.starts_with("Speculation shows no gain or loss yet")) << open;
  EXPECT_TRUE(gain.starts_with("Speculation is worth 1.4x [1.2, 1.6]")) << gain;
  EXPECT_TRUE(loss.starts_with("Speculation does not pay")) << loss;
}

/// Defect: a rule that changes the output law wins the comparison.
TEST_F(Answer, NamesNoLossyDrafterAsTheFastest) {
  Group lossy = group("bigram", 3, {2.9, 3.1});
  lossy.summary.law_distance = 0.2;
  const FigureData data{run_, {plain(), lossy, group("prompt_lookup", 1.5, {1.4, 1.6})}, {}};
  ASSERT_NE(best_group(data, 0), nullptr);
  EXPECT_EQ(best_group(data, 0)->axes.drafter, "prompt_lookup");
}

}  // namespace
}  // namespace speclab::analysis
