#include "experiments/drivers/journal/origin.h"

#include <gtest/gtest.h>

namespace speclab::experiments {
namespace {

TEST(ConfigChanges, NameTheKeyWithItsTableAndBothValues) {
  EXPECT_EQ(config_changes("[a]\nx = 1\ny = [1, 2]\n\n[b]\nx = \"s = t\"\n",
                           "[a]\nx = 1\ny = [1]\n\n[b]\nx = \"s = u\"\n"),
            "\n  a.y: was [1, 2], now [1]\n  b.x: was \"s = t\", now \"s = u\"");
}

TEST(ConfigChanges, NameWhatIsOnOneSideOnly) {
  EXPECT_EQ(config_changes("[a]\nx = 1\n", "[drafters.mine]\nkind = \"bigram\"\n"),
            "\n  a.x: was 1, now not set\n  drafters.mine.kind: was not set, now \"bigram\"");
}

TEST(ConfigChanges, AreEmptyForEqualConfigs) {
  EXPECT_EQ(config_changes("[a]\nx = 1\n", "[a]\nx = 1\n"), "");
}

/// Defect: a run of an earlier revision cannot go on, because its config has a key that is gone.
TEST(ConfigChanges, LeaveOutTheKeyThatChangedNothing) {
  EXPECT_EQ(config_changes("[target]\narithmetic = \"row_invariant\"\nthreads = 2\n",
                           "[target]\nthreads = 2\n"),
            "");
}

/// Defect: a run cannot go on when its model was moved.
TEST(ConfigChanges, ModelsAreWhatTheirNamesSay) {
  EXPECT_EQ(config_changes("[target]\nmodel = [\"/a/m\", \"n\"]\n",
                           "[target]\nmodel = [\"/b/c/m\", \"n\"]\n"),
            "");
  EXPECT_EQ(config_changes("[target]\nmodel = [\"/a/m\"]\n",
                           "[target]\nmodel = [\"/b/k\"]\nname = [\"m\"]\n"),
            "");
  EXPECT_NE(config_changes("[drafters.d]\nmodel = \"/a/m\"\n", "[drafters.d]\nmodel = \"/a/k\"\n"),
            "");
}

}  // namespace
}  // namespace speclab::experiments
