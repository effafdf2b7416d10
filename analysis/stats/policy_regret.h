#pragma once
// What each policy of the speculation length loses against the best static length, and against one
// that knows what will be accepted.

#include <optional>
#include <string>
#include <vector>

#include "analysis/stats/groups.h"
#include "analysis/tables/costs.h"

namespace speclab::analysis {

/// N of constant:N, 0 of plain decoding; nothing of policies whose length changes.
std::optional<int> static_length(const Setting& axes);

/// Time a token of decoding over another policy's, less one, over the prompts that all policies
/// have, with 95 % intervals over prompts: of what the rounds made cost on the cost surface, where
/// the machine's minutes do not matter, and as measured. Above temperature 0 policies draw other
/// texts, so their rounds differ by chance too.
struct Regret {
  const Group* group = nullptr;  ///< of the policy; plain decoding is the static length 0
  double ns_per_token = 0;       ///< of decoding, on the cost surface
  Estimate to_static;            ///< on the cost surface, to the best static length
  Estimate to_clairvoyant;       ///< on the cost surface, to the clairvoyant bound
  Estimate measured_to_static;   ///< as measured, to the same static length
};

/// The policies of one model, drafter, tree, rule and sampling setting.
struct PolicyComparison {
  const Group* best_static = nullptr;  ///< the constant length, or plain decoding, with the least
                                       ///< time on the cost surface: chosen on these prompts
  const Group* longest_static =
      nullptr;  ///< the greatest constant length, whose rounds the bound is made of
  double clairvoyant_ns_per_token = 0;
  std::size_t num_prompts = 0;  ///< that all policies have
  std::vector<Regret> regrets;  ///< in the order of the groups
};

/// Comparisons of all that drafts with two policies or more, one of them a constant length, and
/// whose costs were measured. The clairvoyant bound drafts in every round of the longest constant
/// length what that round kept, and nothing where drafting that would take longer than plain steps
/// for it. It bounds policies that draft no longer than that length: at temperature 0 each, above
/// in the mean over texts.
/// @param groups  must outlive the result @param costs  of costs.csv
/// @source Leviathan et al. 2023, section 3.5, for the drafter that knows
std::vector<PolicyComparison> policy_comparisons(const Run& run, const std::vector<Group>& groups,
                                                 const std::vector<CostRow>& costs,
                                                 Bootstrap& bootstrap);

}  // namespace speclab::analysis
