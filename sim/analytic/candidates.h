#pragma once
// Several candidates for one place, of which any may be kept. p is the target's law, q the one law
// of all candidates. With one candidate every rule but those that wait for a sample of p keeps sum
// min(p, q). All of these: @throws ContractError if a law is none (one_token.h) or candidates < 1;
// further limits are said

#include <span>
#include <vector>

namespace speclab::sim {

/// A sample of p is among k independent drafts: sum p (1 - (1 - q)^k).
/// @source SpecInfer (Miao et al. 2023), Section 4.3
double naive_sampling_acceptance(std::span<const double> p, std::span<const double> q,
                                 int candidates);

/// A sample of p is among the k likeliest tokens of q; lowest index first on ties. k at most the
/// vocabulary.
/// @source Sequoia (Chen et al. 2024), Section 2.2
double top_k_sampling_acceptance(std::span<const double> p, std::span<const double> q,
                                 int candidates);

/// Independent drafts, each tested against what the earlier ones left of p: r_1 = p, b_i = sum
/// min(r_i, q), r_{i+1} = norm max(0, r_i - q). Candidate i is the accepted one with chance b_i
/// prod_{j<i} (1 - b_j).
/// @source SpecInfer (Miao et al. 2023), Alg. 2
std::vector<double> multi_step_rank_acceptance(std::span<const double> p, std::span<const double> q,
                                               int candidates);
/// That any of them is: at least naive_sampling_acceptance.
/// @source SpecInfer (Miao et al. 2023), Theorem 4.3
double multi_step_acceptance(std::span<const double> p, std::span<const double> q, int candidates);

/// The same with drafts drawn without replacement: a rejected token leaves q, which is
/// renormalised; where q has no untried token left the next is drawn uniformly from the rest. k at
/// most the vocabulary; the cost grows like vocabulary^k.
/// @source Sequoia (Chen et al. 2024), Algorithm 2
std::vector<double> without_replacement_rank_acceptance(std::span<const double> p,
                                                        std::span<const double> q, int candidates);
/// 1 for k = vocabulary. May exceed optimal_acceptance_bound, because its drafts are distinct.
double without_replacement_acceptance(std::span<const double> p, std::span<const double> q,
                                      int candidates);

/// ρ of k-sequential selection: the smallest in [1, k] with 1 - (1 - b)^k <= ρ b, b = sum min(q,
/// p/ρ). Each draft in turn is kept with chance min(1, p / (ρ q)).
/// @source SpecTr (Sun et al. 2023), k-sequential selection
double spectr_rho(std::span<const double> p, std::span<const double> q, int candidates);
/// 1 - (1 - b)^k at that ρ: at least 1 - 1/e of the optimum.
double spectr_acceptance(std::span<const double> p, std::span<const double> q, int candidates);
/// No exact rule keeps one of k independent drafts more often: 1 + min over token sets H of (p(H) -
/// q(H)^k). q(H)^k is convex in q(H), so that the best set holds the tokens of the smallest p/q:
/// O(V log V).
/// @source the transport problem of SpecTr (Sun et al. 2023) by its smallest cut; the reduction to
/// V sets is ours
double optimal_acceptance_bound(std::span<const double> p, std::span<const double> q,
                                int candidates);

}  // namespace speclab::sim
