#pragma once
#include "engines/interface/round_decoder.h"
#include "sim/core/records.h"
#include "sim/core/speculation_length_policy.h"

namespace speclab::experiments {

struct LoadedPlan;
struct DecoderSettings;

/// How far a lossy verifier was from the target's law: the mean over emitted tokens of the total variation between the law
/// that the token was drawn from and the target's, given the text before it. The laws are those of the request's own rounds:
/// it is decoded again, with the same chance, and untimed.
/// @param settings  of a lossy verifier that takes chains
double law_distance(const LoadedPlan& loaded, const DecoderSettings& settings, const engines::Request& request, const SpeculationLengthPolicy& policy);

/// The same of logged rounds: distances[r][i] is that of the place after i drafts of round r.
double mean_distance(const std::vector<std::vector<double>>& distances, const std::vector<RoundRecord>& rounds);

}  // namespace speclab::experiments
