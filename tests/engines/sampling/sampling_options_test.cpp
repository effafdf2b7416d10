#include "engines/interface/sampling_options.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

struct Refusal {
  const char* field;
  SamplingOptions options;
};

std::vector<Refusal> refusals() {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  std::vector<Refusal> all;
  for (const double value : {-0.1, 1e-4, nan, infinity})
    all.push_back({"temperature", {.temperature = value}});
  all.push_back({"top_k", {.top_k = -1}});
  for (const double value : {0.0, -0.5, 1.01, nan}) all.push_back({"top_p", {.top_p = value}});
  for (const double value : {-0.01, 1.5, nan}) all.push_back({"min_p", {.min_p = value}});
  for (const double value : {0.0, -1.0, nan, infinity})
    all.push_back({"repetition_penalty", {.repetition_penalty = value}});
  return all;
}

TEST(SamplingOptions, NameTheFieldThatIsOutOfRange) {
  for (const Refusal& refusal : refusals()) {
    try {
      refusal.options.validate();
      ADD_FAILURE() << refusal.field << " was accepted";
    } catch (const ConfigError& error) {
      EXPECT_EQ(std::string(error.what()).find(refusal.field), 0U) << error.what();
    }
  }
}

TEST(SamplingOptions, AcceptTheEndsOfEveryRange) {
  EXPECT_NO_THROW((
      SamplingOptions{.temperature = 0, .top_k = 0, .top_p = 1, .min_p = 0, .repetition_penalty = 1}
          .validate()));
  EXPECT_NO_THROW((SamplingOptions{
      .temperature = 1e-3, .top_k = 1 << 30, .top_p = 1e-9, .min_p = 1, .repetition_penalty = 1e-3}
                       .validate()));
}

}  // namespace
}  // namespace speclab::engines
