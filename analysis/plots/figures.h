#pragma once
// Figures of a run of generations.

#include <optional>
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/plots/lines.h"
#include "analysis/stats/ledger.h"
#include "analysis/stats/policy_regret.h"
#include "analysis/tables/timeline.h"

namespace speclab::analysis {

/// Everything the figures are made of; groups point into the run, which must outlive them.
struct FigureData {
  const Run& run;
  std::vector<Group> pooled;
  std::vector<Group> by_category;
};

/// Mean walltime of a generation over temperature, a line a drafter.
Figure walltime_vs_temperature(const FigureData& data);
/// Ratio to plain decoding over temperature.
Figure speedup_vs_temperature(const FigureData& data);
Figure tokens_per_round_vs_temperature(const FigureData& data);
/// Mean walltime over the parameters of the target at the lowest temperature; shape models have
/// hollow marks.
Figure walltime_vs_model_size(const FigureData& data);
/// Speed-up by category of the prompts at the lowest temperature.
Figure speedup_by_category(const FigureData& data);
/// Survival over the position in the draft at the lowest temperature.
Figure acceptance_by_position_figure(const FigureData& data, Bootstrap& bootstrap);
/// What a round spends its time on at the lowest temperature.
Figure time_split(const FigureData& data);

/// The figures that the run has data for, in the order of the report.
std::vector<Figure> build_figures(const FigureData& data, Bootstrap& bootstrap);

/// Speed-up and tokens a round over the parameters of the drafters, a line for every temperature
/// and policy of one kind of drafter; none where the config names fewer than three drafters of a
/// kind, all of other sizes, whose parameters the manifest has.
std::vector<Figure> drafter_size_figures(const FigureData& data);

/// What each policy loses against the clairvoyant bound, a figure a model and sampling setting, a
/// line of marks a drafter.
std::vector<Figure> regret_figures(const std::vector<PolicyComparison>& comparisons);

/// Measured speed-up against the predicted one, a mark a cell that drafts in at least half of its
/// rounds, a colour a drafter. Nothing for fewer than twelve, where the figures over temperature
/// tell every one apart.
std::optional<Figure> prediction_figure(const FigureData& data);

/// From the predicted to the measured walltime of a group, a bar a cause. @param name  of the
/// group's line
Figure ledger_figure(const Group& group, const Ledger& ledger, const std::string& name);

/// One generation of one prompt under every drafter, round by round: when each drafted, ran the
/// target and decided. The prompt is the one whose texts have most accepted tokens at the lowest
/// temperature. Nothing where no rounds are known.
/// @source the layout of Leviathan et al. 2023, Figure 5
std::optional<Figure> timeline_figure(const FigureData& data,
                                      const std::vector<TimelineRound>& rounds);

}  // namespace speclab::analysis
