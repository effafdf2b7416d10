#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engines/interface/engines.h"
#include "experiments/drivers/generate/texts.h"

namespace speclab::experiments {

/// One statistic and what it says. Under the target's law p is uniform.
struct LawTest {
  const char* name;
  std::optional<double> p{};               ///< nothing where there are too few tokens to say
  std::optional<double> smallest_shift{};  ///< what it misses with odds below kMissOdds
  const char* unit = "of the mean law of the tokens' places, from bin to bin,";
};

constexpr double kFalseAlarm = 1e-6;  ///< of all tests of a verification together
constexpr double kMissOdds = 1e-6;

struct SampledLaw {
  std::int64_t tokens = 0;
  std::int64_t impossible = 0;  ///< tokens that the target's law gives no probability
  std::int64_t at_the_edge =
      0;  ///< those that it would have if its cutoffs were a hundred-thousandth wider: rounding
  std::vector<LawTest> tests;
  bool fits() const;
};

/// A text with the lengths of its rounds: what each emitted.
struct SampledText {
  Text text;
  std::vector<std::int32_t> emitted;
};

/// Whether sampled texts have the target's law, from the law of each token given all before it
/// (teacher-forced, processors in double). Each token becomes a uniform number, its place in the
/// law in order of falling probability, a random point of its own stretch; under the target's law
/// these are independent and uniform whatever the contexts. Tested: that they are uniform; that the
/// first one of a round is so whatever the last token before it was, and whatever the last round
/// accepted; that the mean surprise is the mean entropy (Chernoff's bound: true in the tail,
/// however skewed the surprises are).
/// @param seed  of the random points
/// @source Rosenblatt 1952 (the transform); Brockwell 2007 (its discrete form)
SampledLaw test_sampled_law(
    const engines::Engines& engines, engines::LanguageModel& model,
    const engines::SamplingOptions& sampling, const std::vector<SampledText>& texts,
    std::uint64_t seed, const TokensDone& done = [](std::size_t) {});

}  // namespace speclab::experiments
