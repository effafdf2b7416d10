#include "experiments/drivers/generate/text_work.h"

#include <gtest/gtest.h>

#include "tests/support/fake_engines.h"

namespace speclab::experiments {
namespace {

/// Defect: a text that outlived its drafter's context became slow without a word.
TEST(DrafterContext, IsToldWhereItEndedBeforeTheText) {
  const auto state = std::make_shared<testing::FakeEnginesState>();
  state->drafter_context_length = 256;
  testing::FakeEngines engines(state);
  const engines::DrafterOptions small{.kind = "small_transformer"};
  EXPECT_EQ(drafter_context_note(engines, small, 256), "");
  EXPECT_NE(drafter_context_note(engines, small, 257).find("ends at 256"), std::string::npos);
  EXPECT_NE(drafter_context_note(engines, {.kind = "mixture", .parts = {small}}, 257), "");
  for (const char* kind : {"prompt_lookup", "ngram", "plain", "none"})
    EXPECT_EQ(drafter_context_note(engines, {.kind = kind}, 100'000), "") << kind;
}

}  // namespace
}  // namespace speclab::experiments
