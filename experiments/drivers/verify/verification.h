#pragma once
// Losslessness of a pair, a rule and settings on real text: what was compared, what was found, what
// could not have been seen.

#include <optional>
#include <string>
#include <vector>

#include "experiments/drivers/program/progress.h"
#include "experiments/drivers/verify/arithmetic_distance.h"
#include "experiments/drivers/verify/exact_law.h"
#include "experiments/drivers/verify/sampled_law.h"

namespace speclab::experiments {

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
