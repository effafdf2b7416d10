#pragma once
// Estimators of the chain's numbers and what they err by where rounds are independent. On real text
// prompts differ: cluster there.

namespace speclab::sim {

/// accepted / tested, tested = accepted + rounds that rejected a draft.
/// @param accepted               drafts kept, >= 0
/// @param rounds_with_rejection  >= 0; not both 0
/// @throws ContractError if a count is negative or nothing was tested
/// @source ours: the estimator of largest likelihood
double acceptance_rate_estimate(long long accepted, long long rounds_with_rejection);

/// sqrt(α (1 - α) / tested).
/// @param acceptance_rate  α in [0, 1]
/// @param tested           >= 1
/// @throws ContractError if an argument is out of range
/// @source ours: the binomial law
double acceptance_rate_standard_error(double acceptance_rate, long long tested);

/// sqrt(variance of a round / rounds), of the mean tokens per round.
/// @param rounds  >= 1
/// @throws ContractError if an argument is out of range
/// @source ours: the capped geometric law
double tokens_per_round_standard_error(double acceptance_rate, int speculation_length,
                                       long long rounds);

}  // namespace speclab::sim
