// Whatever is another than when the run was begun is named and stops its resumption (SWP-7).
#include <gtest/gtest.h>

#include "experiments/drivers/run/manifest.h"
#include "sim/core/errors.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

using testing::SmallExperiment;

/// The message with which `now` is refused in the place of `begun`; empty if it is not.
std::string refusal(const HeaderEntry& begun, const HeaderEntry& now) {
  try {
    check_same_origin(begun, now, "run");
    return "";
  } catch (const DriftError& error) {
    return error.what();
  }
}

class Drift : public ::testing::Test {
 protected:
  HeaderEntry header(const std::vector<std::string>& settings = {}) const {
    HeaderEntry changed = begun_;
    if (!settings.empty()) changed.config = to_toml(experiment_.plan(settings).config);
    return changed;
  }

  const SmallExperiment experiment_{testing::memory_folder()};
  const RunOutcome outcome_ = experiment_.run(experiment_.plan(), "run");
  const HeaderEntry begun_ = *RunLog(experiment_.folder("run")).header();
};

TEST_F(Drift, OfEveryFieldOfTheOriginIsNamed) {
  EXPECT_EQ(refusal(begun_, header()), "");
  ASSERT_GE(begun_.provenance.size(), 13u);
  for (std::size_t i = 0; i < begun_.provenance.size(); ++i) {
    HeaderEntry now = header();
    now.provenance[i].second += "x";
    const auto& [key, value] = begun_.provenance[i];
    EXPECT_NE(refusal(begun_, now).find("\n  " + key + ": was " + value + ", now " + value + "x\n"), std::string::npos) << key;
  }
}

TEST_F(Drift, OfEveryModelsBytesIsNamed) {
  ASSERT_GE(begun_.models.size(), 2u);
  for (std::size_t i = 0; i < begun_.models.size(); ++i) {
    HeaderEntry now = header();
    now.models[i].sha256 += "0";
    EXPECT_NE(refusal(begun_, now).find("\n  model " + begun_.models[i].name + ": was "), std::string::npos) << i;
  }
}

TEST_F(Drift, OfEveryKeyOfTheConfigIsNamed) {
  for (const char* setting :
       {"experiment.seed=2", "experiment.repetitions=2", "target.dtype=float32", "target.threads=1", "target.arithmetic=row_invariant", "target.chat_template=off",
        "drafters.tree.tree=2x2", "axes.temperature=[0.0, 0.6]", "axes.drafter=bigram", R"(axes.policy="constant:4")", "axes.verifier=block", "sampling.top_k=5", "prompts.per_category=1",
        "prompts.new_tokens=23", "prompts.ignore_eos=false", "prompts.pool_categories=false", "pilot.max_length=3", "costs.repetitions=2", "costs.new_tokens=25"}) {
    const std::string text = setting, key = text.substr(0, text.find('='));
    std::vector<std::string> settings{text};
    if (key == "axes.verifier") settings.emplace_back(R"(axes.drafter="bigram")");
    EXPECT_NE(refusal(begun_, header(settings)).find("\n  " + key + ": was "), std::string::npos) << text << ": " << refusal(begun_, header(settings));
  }
}

}  // namespace
}  // namespace speclab::experiments
