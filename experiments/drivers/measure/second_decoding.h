#pragma once
// Measured generations that are decoded once more: drafts to be shown, and the distance of lossy
// ones from the target's law.

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "analysis/tables/text_samples.h"
#include "engines/interface/round_decoder.h"
#include "experiments/drivers/measure/workbench.h"
#include "sim/core/records.h"
#include "sim/core/speculation_length_policy.h"
#include "sim/rules/rule.h"

namespace speclab::experiments {

/// Dense laws of a drafted chain: after node i the target's, for i = 0 ... n, and the draft's, for
/// i < n. Each sums to 1.
struct LoggedChain {
  std::vector<std::vector<double>> target_laws, draft_laws;
  std::vector<Token> tokens;
};

/// @throws ContractError if the draft is no chain
LoggedChain logged_chain(const Draft& draft, const TargetLaws<float>& target_laws);

/// Rounds of a shown text whose drafts are kept.
inline constexpr std::size_t kShownRounds = 8;

/// A measured generation as it is decoded once more, by a decoder of its own, so that looking at
/// its drafts costs the measurement nothing.
/// @param most_rounds  after which it may end early
GenerationRecord decode_again(
    const LoadedPlan& loaded, const DecoderSettings& settings, const engines::Request& request,
    const SpeculationLengthPolicy& policy,
    const std::function<void(const Draft&, const TargetLaws<float>&)>& on_draft,
    std::size_t most_rounds = std::numeric_limits<std::size_t>::max());

/// Whether `again` began with the same drafts, verdicts and tokens, as far as it went.
bool is_same(const GenerationRecord& measured, const GenerationRecord& again);

/// The first drafts of a measured generation; none where decoding again gave others, as kernels
/// that depend on what is beside a row may.
std::vector<analysis::DraftedRound> shown_drafts(const LoadedPlan& loaded,
                                                 const DecoderSettings& settings,
                                                 const engines::Request& request,
                                                 const SpeculationLengthPolicy& policy,
                                                 const GenerationRecord& measured);

struct LoadedPlan;
struct DecoderSettings;

/// How far a lossy verifier was from the target's law: the mean over emitted tokens of the total
/// variation between the law that the token was drawn from and the target's, given the text before
/// it. The laws are those of the request's own rounds: it is decoded again, with the same chance,
/// and untimed.
/// @param settings  of a lossy verifier that takes chains
/// @param measured  what the first decoding gave
/// @throws Error (invalid measurement) if the second is another, as on a device whose sums depend
/// on the number of rows
double law_distance(const LoadedPlan& loaded, const DecoderSettings& settings,
                    const engines::Request& request, const SpeculationLengthPolicy& policy,
                    const GenerationRecord& measured);

/// The same of logged rounds: distances[r][i] is that of the place after i drafts of round r.
/// Tokens that a stop rule cut do not count.
double mean_distance(const std::vector<std::vector<double>>& distances,
                     const std::vector<RoundRecord>& rounds);

}  // namespace speclab::experiments
