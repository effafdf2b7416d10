#pragma once
// The gate on runs: whether they did the same work, and what their counts say: did the drafts
// become worse?

#include <optional>
#include <string>
#include <vector>

#include "analysis/gate/verdict.h"
#include "analysis/stats/significance.h"
#include "analysis/tables/acceptance.h"
#include "analysis/tables/run_folder.h"

namespace speclab::analysis {

/// Rows of the same cell, prompt and repetition.
struct RowPair {
  const Generation* base;
  const Generation* head;
};

/// Rows that both runs have, in the order of the base.
std::vector<RowPair> row_pairs(const Run& base, const Run& head);

/// What of their origin and configs forbids to compare two runs, a sentence each: an origin that
/// was not noted; another kind, target, prompts, lengths, stop rules, sampling settings,
/// verification, caches or number of repetitions.
std::vector<std::string> config_differences(const Manifest& base, const Manifest& head);

/// The same, and what of their rows does; none if the runs did the same work: they are complete,
/// read and emitted the same tokens, and at temperature 0 wrote the same text, also as their own
/// plain decoding. Texts of sampled rows may differ, and gate_counts looks at their lengths.
std::vector<std::string> work_differences(const Run& base, const Run& head);

/// What may make counts differ between runs of the same work, "name: BASE, HEAD" each: machine,
/// number format, library, seed, drafters' weights and settings, axes and pilots of the config.
/// None: counts must be equal.
std::vector<std::string> origin_differences(const Manifest& base, const Manifest& head);

struct GateOptions {
  double largest_drop = 0.02;  ///< of the acceptance rate: what a run that is called the same must
                               ///< exclude with its 95 % interval
  double alarm_level = 0.01;   ///< chance of a false alarm in the whole family of comparisons,
                               ///< Holm's correction included
  double least_change =
      0.001;           ///< of a rate: less is neither a rise nor a fall, however sure it is
  double power = 0.9;  ///< for CellGate::smallest_drop_found
};

/// A rate of both runs, and how it differs; prompts are the independent units.
struct GatedRate {
  double base = 0;
  double head = 0;
  PairedDifference change;
  double adjusted_p = 1;  ///< after Holm's correction over all rates of all cells
};

/// A cell of both runs.
struct CellGate {
  std::string cell_id;
  Setting axes;
  std::size_t n_prompts = 0;
  std::size_t n_rows = 0;
  std::size_t changed_rows = 0;  ///< whose counts or text are not equal
  std::optional<GatedRate>
      acceptance_rate;  ///< accepted / tested; missing where a run drafted nothing
  std::optional<GatedRate> tokens_per_round;  ///< missing for plain decoding and the policy `auto`,
                                              ///< whose lengths follow from measured costs
  std::optional<GatedRate>
      tokens_per_row;  ///< where texts may end before their length: another mean is other work
  std::optional<double> smallest_drop_found;  ///< of the acceptance rate, with the power of the
                                              ///< options; infinite for a single prompt
  std::optional<double>
      base_walltime_ns{};  ///< means of a generation, not gated; missing where none was timed
  std::optional<double> head_walltime_ns{};
  GateVerdict verdict = GateVerdict::same;
  std::string reason;
};

struct CountGate {
  std::vector<std::string> work_differences;  ///< not empty: invalid, and there are no cells
  std::vector<std::string>
      origin_differences;  ///< not empty: counts may differ, and are gated by intervals
  std::vector<CellGate> cells;
  GateVerdict verdict = GateVerdict::same;  ///< the worst of the cells

  bool is_exact() const { return origin_differences.empty(); }
};

/// Nothing where a run's denominators are 0.
std::optional<GatedRate> gated_rate(const ClusterTotals& base, const ClusterTotals& head);

/// Fills in what follows from the rates of all cells: corrections, verdicts and reasons.
void judge_cells(CountGate& gate, const GateOptions& options);

/// Between runs of the same machine class, number format, drafters, seed and axes every count of
/// every row must be equal, but for the policy `auto`. Where they are not, or need not be, a cell
/// is slow or fast if a rate changed beyond chance (two-sided, paired by prompt, Holm over all
/// cells and rates), invalid if the lengths of its texts did; the same if its 95 % interval
/// excludes the largest drop and counts need not be equal; else ambiguous.
CountGate gate_counts(const Run& base, const Run& head, const GateOptions& options);

/// gate_counts for drafts at every place of the target's text: without a coin, and of the same text
/// in both runs, so that a smaller drop is found. Rows of the same cell, prompt and depth are a
/// pair; their sums are what must be equal between runs of the same machine class, number format,
/// drafters, seed and axes, and the acceptance rate (accepted / tested, over all depths) is what is
/// gated.
CountGate gate_acceptance(const AcceptanceRun& base, const AcceptanceRun& head,
                          const GateOptions& options);

}  // namespace speclab::analysis
