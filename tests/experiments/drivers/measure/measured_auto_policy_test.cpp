#include "experiments/drivers/measure/measured_auto_policy.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/support/fake_engines.h"

namespace speclab::experiments {
namespace {

/// Asks for the policy of one generation on fake engines.
class AutoPolicyOfGenerate : public ::testing::Test {
 protected:
  AutoPolicyOfGenerate() {
    decoder_.drafter.kind = "prompt_lookup";
    state_->draft_ns = 1;  // so that long drafts pay
  }

  std::unique_ptr<SpeculationLengthPolicy> make(std::size_t prompt_tokens = 20) {
    const std::vector<Token> prompt(prompt_tokens, 7);
    return measured_auto_policy({engines_, target_, decoder_, prompt}, {progress_, check_});
  }

  std::shared_ptr<testing::FakeEnginesState> state_ = std::make_shared<testing::FakeEnginesState>();
  testing::FakeEngines engines_{state_};
  engines::LoadedModel target_ = engines_.load_model({.model = "fake"});
  engines::DecoderOptions decoder_;
  Progress progress_{Progress::Style::silent};
  std::function<void()> check_ = [] {};
};

TEST_F(AutoPolicyOfGenerate, MeasuresAndGivesTheTargetBack) {
  const auto policy = make();
  EXPECT_EQ(policy->name(), "auto");
  EXPECT_GE(state_->num_generations, 1);
  EXPECT_NE(target_.model, nullptr);
  EXPECT_GT(policy->next_length(), 3);
}

TEST_F(AutoPolicyOfGenerate, MeasuresAShapeModelWithoutATrace) {
  target_ = engines_.load_model({.model = "shape-15m"});
  EXPECT_EQ(make()->name(), "auto");
}

TEST_F(AutoPolicyOfGenerate, KeepsToTheLevelsOfATree) {
  decoder_.drafter.kind = "small_transformer";
  decoder_.drafter.tree = "2x2x1";
  EXPECT_EQ(make()->next_length(), 3);
}

TEST_F(AutoPolicyOfGenerate, MeasuresNothingForADrafterThatNeverDrafts) {
  for (const char* kind : {"plain", "none"}) {
    decoder_.drafter.kind = kind;
    EXPECT_EQ(make()->next_length(), 0);
  }
  EXPECT_EQ(state_->num_generations, 0);
}

TEST_F(AutoPolicyOfGenerate, MeasuresWithinTheContextWhereThePromptFillsIt) {
  state_->context_length = 64;
  target_ = engines_.load_model({.model = "fake"});
  decoder_.stop.max_new_tokens = 1;
  EXPECT_EQ(make(63)->name(), "auto");
}

TEST_F(AutoPolicyOfGenerate, RefusesAContextTooSmallToMeasureIn) {
  state_->context_length = 25;
  target_ = engines_.load_model({.model = "fake"});
  decoder_.stop.max_new_tokens = 1;
  EXPECT_THROW(make(4), ConfigError);
  EXPECT_NE(target_.model, nullptr);
}

TEST_F(AutoPolicyOfGenerate, GivesTheTargetBackWhenInterrupted) {
  check_ = [] { throw InterruptedError("stop"); };
  EXPECT_THROW(make(), InterruptedError);
  EXPECT_NE(target_.model, nullptr);
}

}  // namespace
}  // namespace speclab::experiments
