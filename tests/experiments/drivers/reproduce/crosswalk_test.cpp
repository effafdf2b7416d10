#include "experiments/drivers/reproduce/crosswalk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <set>
#include <sstream>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

double converted(const std::vector<ConvertedMetric>& all, const std::string& name) {
  const auto found = std::ranges::find_if(
      all, [&](const ConvertedMetric& metric) { return metric.name->name == name; });
  EXPECT_NE(found, all.end()) << name;
  return found->value;
}

/// NAME=VALUE with all digits.
std::string setting_of(const MetricName& name, double value) {
  std::ostringstream text;
  text << name.name << "=" << std::setprecision(17) << value;
  return text.str();
}

TEST(Crosswalk, ConvertsLengthsAndRates) {
  const auto all = convert_metrics({"vllm.mean_acceptance_length=2.25", "speculation_length=3"});
  EXPECT_DOUBLE_EQ(converted(all, "vllm_before_17908.mean_acceptance_length"), 1.25);
  EXPECT_DOUBLE_EQ(converted(all, "sglang.spec_accept_length"), 2.25);
  EXPECT_NEAR(converted(all, "vllm.draft_acceptance_rate"), 0.416666666666667, 1e-14);
  EXPECT_NEAR(converted(all, "hugging_face.n_matches"), 1.25, 1e-14);
}

TEST(Crosswalk, EveryConversionGoesBack) {
  for (const MetricName& from : metric_names()) {
    const auto there = convert_metrics({"speclab.acceptance_rate=0.8", "speculation_length=5"});
    const auto back =
        convert_metrics({setting_of(from, converted(there, from.name)), "speculation_length=5"});
    EXPECT_NEAR(converted(back, "speclab.acceptance_rate"), 0.8, 1e-12) << from.name;
  }
}

TEST(Crosswalk, RefusesNamesThatMeanSeveralThings) {
  for (const char* name :
       {"acceptance_rate", "acceptance_length", "mean_acceptance_length", "alpha", "tau",
        "accept_length", "draft_acceptance_rate", "mean_accepted_tokens"})
    try {
      convert_metrics({std::string(name) + "=0.8", "speculation_length=5"});
      ADD_FAILURE() << name;
    } catch (const AmbiguousError& error) {
      EXPECT_EQ(error.code(), ExitCode::ambiguous);
      EXPECT_NE(std::string(error.what()).find("name one of them"), std::string::npos)
          << error.what();
      EXPECT_NE(std::string(error.what()).find("vllm."), std::string::npos);
    }
}

TEST(Crosswalk, RefusesANumberWithoutItsDrafts) {
  EXPECT_THROW(convert_metrics({"vllm.mean_acceptance_length=2.25"}), AmbiguousError);
}

TEST(Crosswalk, OfATreeHasNoRatePerTestedDraft) {
  const auto all = convert_metrics({"eagle.acceptance_length=2.92", "drafted_nodes=20"});
  EXPECT_NEAR(converted(all, "speclab.accepted_fraction"), 0.096, 1e-14);
  EXPECT_TRUE(std::ranges::none_of(all, [](const ConvertedMetric& metric) {
    return metric.name->quantity == sim::RoundQuantity::acceptance_rate;
  }));
  EXPECT_THROW(convert_metrics({"eagle.n_alpha=0.7", "drafted_nodes=20"}), ConfigError);
}

TEST(Crosswalk, RefusesWhatNoRoundCanHave) {
  for (const auto& settings : std::vector<std::vector<std::string>>{
           {"vllm.mean_acceptance_length=0.5", "speculation_length=3"},
           {"vllm.mean_acceptance_length=4.5", "speculation_length=3"},
           {"vllm.draft_acceptance_rate=1.2", "speculation_length=3"},
           {"vllm.draft_acceptance_rate=nan", "speculation_length=3"},
           {"vllm.draft_acceptance_rate", "speculation_length=3"},
           {"vllm.draft_acceptance_rate=0.5", "speculation_length=-1"},
           {"vllm.draft_acceptance_rate=0.5", "speculation_length=2.5"},
           {"vllm.draft_acceptance_rate=0.5", "speculation_length=3", "drafted_nodes=3"},
           {"vllm.draft_acceptance_rate=0.5", "sglang.spec_accept_rate=0.5",
            "speculation_length=3"},
           {"psychic.rate=0.5", "speculation_length=3"},
           {"speculation_length=3"}})
    EXPECT_THROW(convert_metrics(settings), ConfigError) << settings[0];
}

TEST(Crosswalk, NamesAreNamedOnce) {
  std::set<std::string> names;
  for (const MetricName& name : metric_names())
    EXPECT_TRUE(names.insert(name.name).second) << name.name;
}

}  // namespace
}  // namespace speclab::experiments
