#pragma once
// Figures of runs that measure no walltime of generations, and of trainings.

#include <string>
#include <vector>

#include "analysis/plots/figure.h"
#include "analysis/stats/drafter_acceptance.h"
#include "analysis/tables/atlas.h"
#include "analysis/tables/costs.h"
#include "analysis/tables/training_curve.h"

namespace speclab::analysis {

/// Of each model and sampling, a line a drafter: acceptance by depth, the target's mass on the
/// drafter's most likely tokens, acceptance by category; and acceptance over temperature where
/// there are several.
/// @param by_category  the same drafters, category by category
std::vector<Figure> acceptance_figures(const std::vector<DrafterAcceptance>& pooled,
                                       const std::vector<DrafterAcceptance>& by_category);

/// The drafter, and of its settings those in which the cells differ.
std::string drafter_name(const DrafterAcceptance& drafter,
                         const std::vector<DrafterAcceptance>& all);

/// Per drafter over temperature, a line a rule: acceptance of the rules for one draft, of those for
/// two, tokens a round.
std::vector<Figure> atlas_figures(const std::vector<AtlasRow>& rows);

/// Time of a target forward over its rows, a line a context; one figure a model, in the order of
/// the costs.
std::vector<Figure> forward_cost_figures(const std::vector<CostRow>& costs);

/// Loss and held-out acceptance over the tokens visited: of one training a line a drafted token, of
/// several a line each of the first; where there are further drafted tokens, what a round would
/// emit.
std::vector<Figure> training_figures(const std::vector<TrainingCurve>& curves);

}  // namespace speclab::analysis
