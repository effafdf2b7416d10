#pragma once
// Losslessness of a pair, a rule and settings on real text: what was compared, what was found, what
// could not have been seen.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/engines.h"
#include "experiments/drivers/generate/texts.h"
#include "experiments/drivers/program/progress.h"
#include "experiments/drivers/verify/arithmetic_distance.h"

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

/// The joint law of what the decoder writes after a prompt, every random decision forked, against
/// the target's.
struct ExactLaw {
  std::int64_t outputs = 0;    ///< sequences of tokens compared
  std::int64_t paths = 0;      ///< of decisions
  std::int32_t tokens = 0;     ///< of an output
  double largest_error = 0.0;  ///< of a probability
};

constexpr double kExactTolerance = 1e-5;  ///< of laws in float over three tokens

/// @param request  a prompt, at least one token
/// @param speculation_length  tokens drafted a round
/// @return nothing where the vocabulary or the drafts are too large to enumerate: above 8 tokens or
/// a million paths
std::optional<ExactLaw> enumerate_law(engines::Engines& engines, engines::LanguageModel& target,
                                      const engines::DecoderOptions& options,
                                      const engines::Request& request, int speculation_length);

struct VerificationPlan {
  engines::DecoderOptions decoder;  ///< sampling, drafter, verifier, length
  int speculation_length = 4;
  std::vector<engines::Request> requests;  ///< at least one
};

/// Where a speculative text left plain decoding's, at temperature 0.
struct Difference {
  std::uint32_t sequence = 0;
  std::size_t position = 0;  ///< of the output
  std::optional<double>
      gap;  ///< of the two tokens' log probabilities behind the processors, in a forward of one
            ///< row; infinite where the speculative one is forbidden, nothing where one text ends
};

struct GreedyComparison {
  std::int64_t tokens = 0;
  std::vector<Difference> differences;  ///< the first of each text
};

struct Verification {
  GreedyComparison greedy;
  RowNoise rows;
  std::optional<SampledLaw> sampled;  ///< nothing at temperature 0
  std::optional<ExactLaw> exact;      ///< nothing at temperature 0 or for a large vocabulary
  std::int64_t drafted = 0, accepted = 0;

  /// A difference that a near tie explains: the likelier token lost by no more than twice what row
  /// noise may be.
  bool is_near_tie(const Difference& difference) const {
    return difference.gap && *difference.gap >= 0.0 && *difference.gap <= 2.0 * rows.allowed;
  }
  /// Whether anything was drafted, and where text was sampled enough of it to judge its law.
  bool tests_anything() const;
  /// Whether nothing speaks against the target's law.
  bool passes() const;
};

/// Refuses settings that do not fit, before anything is decoded. @throws ConfigError
void check_settings(engines::Engines& engines, engines::LoadedModel& target,
                    const VerificationPlan& plan);

/// @param plan      whose settings fit
/// @param progress  is told its phases
Verification verify(engines::Engines& engines, engines::LoadedModel& target, VerificationPlan plan,
                    Progress& progress);

/// What a person may quote: the verdict, n, power, and what was not looked at.
std::string verdict_text(const Verification& verification, const VerificationPlan& plan,
                         const engines::ModelInfo& model);

}  // namespace speclab::experiments
