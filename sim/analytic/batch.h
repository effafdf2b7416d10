#pragma once
// Batches: what verification of many sequences at once costs by the roofline, and what their uneven
// rounds yield.

#include <optional>
#include <span>
#include <vector>

#include "sim/analytic/roofline.h"
#include "sim/analytic/speedup.h"
#include "sim/core/token_tree.h"

namespace speclab::sim {

/// Two models on one device, serving B sequences.
struct BatchSetting {
  ModelShape target;
  ModelShape draft;
  DeviceRates device;
  int batch = 1;    ///< B >= 1
  int context = 0;  ///< cached tokens of each sequence, >= 0
};

/// Drafts of one sequence: the rows of each draft forward, and the rows to be verified.
struct BatchDraft {
  std::vector<int>
      rows_of_forward;  ///< one entry a forward: 1 for a chain, the nodes of a level for a tree
  int verify_rows = 1;  ///< drafted nodes and the root

  static BatchDraft chain(int speculation_length);
  static BatchDraft tree(const TreeShape& shape);
};

/// Both costs of a chain of γ in units of one plain step of the batch, t(B): c, and v of B (γ + 1)
/// rows.
/// @throws ContractError if a field is out of range
/// @source MagicDec (Chen et al. 2024), Section 3.2
RelativeCosts batch_costs(const BatchSetting& setting, int speculation_length);

/// E t(B) / (γ t_draft(B) + t(B (γ + 1))) of a chain of independent acceptances.
/// @throws ContractError if an argument is out of range
/// @source MagicDec (Chen et al. 2024), Eq. 2, inverted
double predicted_batch_speedup(double acceptance_rate, int speculation_length,
                               const BatchSetting& setting);

/// The same of any draft that emits `tokens_per_round` in the mean: each draft forward has B times
/// its rows.
/// @param tokens_per_round  in [1, verify_rows]
/// @throws ContractError if an argument is out of range
double predicted_batch_speedup(double tokens_per_round, const BatchDraft& draft,
                               const BatchSetting& setting);

/// The smallest batch, up to `max_batch`, at which the draft does not pay: its speed-up is 1 or
/// less; none if it always does. `batch` of the setting is not looked at.
/// @throws ContractError as predicted_batch_speedup, or if max_batch < 1
/// @source ours
std::optional<int> crossover_batch(double tokens_per_round, const BatchDraft& draft,
                                   const BatchSetting& setting, int max_batch);

/// Mean of the longest of B independent rounds: sum over k of 1 - (1 - α^k)^B.
/// @param acceptance_rate     α in [0, 1]
/// @param speculation_length  γ >= 0
/// @param batch               B >= 1
/// @throws ContractError if an argument is out of range
/// @source ours
double batched_round_tokens_mean_max(double acceptance_rate, int speculation_length, int batch);

/// Mean of the shortest, all that is left where sequences must advance together: (1 - α^(B (γ+1)))
/// / (1 - α^B).
/// @throws ContractError as batched_round_tokens_mean_max
/// @source ours
double batched_round_tokens_mean_min(double acceptance_rate, int speculation_length, int batch);

/// Share of places that are filled up where every round is padded to its longest sequence: 1 - E /
/// E[longest].
/// @throws ContractError as batched_round_tokens_mean_max
/// @source ours
double padding_waste_ratio(double acceptance_rate, int speculation_length, int batch);

}  // namespace speclab::sim
