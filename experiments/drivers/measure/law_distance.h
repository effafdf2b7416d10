#pragma once
#include <vector>

#include "engines/interface/round_decoder.h"
#include "sim/core/records.h"
#include "sim/core/speculation_length_policy.h"

namespace speclab::experiments {

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
