#pragma once
// Pilot generations: what drafters accept, on prompts that are never measured; and the policy of
// a cell, which goes by costs and pilots.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/stats/pair_costs.h"
#include "engines/interface/round_decoder.h"
#include "experiments/drivers/plan/plan.h"
#include "sim/analytic/acceptance_tracker.h"
#include "sim/analytic/generation.h"
#include "sim/core/speculation_length_policy.h"

namespace speclab::experiments {

class RunLog;
class Workbench;

/// The pilots of the plan that the log lacks.
std::vector<std::size_t> missing_pilots(Workbench& bench);
/// Decodes one, adds it to the log and advances the progress by 1.
void run_pilot(Workbench& bench, std::size_t pilot);
/// Decodes all that the log lacks.
void run_pilots(Workbench& bench);

/// Which pilots are asked about.
struct PilotKey {
  Setting setting;       ///< as of the pilots
  std::string category;  ///< of their prompts
};

/// Rounds by prompt. Rounds near the end, which could not have the full length, are left out.
std::vector<std::vector<RoundRecord>> pilot_rounds(const Plan& plan, const RunLog& log,
                                                   const PilotKey& key);

std::size_t num_pilots(const Plan& plan, const PilotKey& key);

/// What `auto` believes before a sequence begins.
sim::AcceptancePrior pilot_prior(const Plan& plan, const RunLog& log, const PilotKey& key);

/// Laws of a round, equally likely. A drafter that looks up finds much in one prompt and nothing in
/// another, so it has one law a prompt, as logged; others have one, by level, in which the prompts
/// are pooled, as logged where the pilots had a policy of their own.
/// @param left_out  of num_pilots, at least two, one that does not count
std::vector<sim::RoundLaw> pilot_laws(const Plan& plan, const RunLog& log, const PilotKey& key,
                                      std::optional<std::size_t> left_out = {});

/// Target rows of a draft with d levels, in the mean of the pilots: of trees whose form does not
/// say, and of the steps of a search. As many as the deepest draft has levels, and one.
std::vector<int> pilot_rows_of_depth(const Plan& plan, const RunLog& log, const PilotKey& key);

/// accepted / tested of drafts cut to `length` levels (of trees: as drafted); nothing if none was
/// tested.
std::optional<double> pilot_acceptance_rate(const Plan& plan, const RunLog& log,
                                            const PilotKey& key, int length);

/// Accepted lengths for a shape model: those of the real model at the greatest length, so that any
/// policy can cut them.
engines::ReplayTrace replay_trace(const Plan& plan, const RunLog& log, const PilotKey& key);

/// The pilots that a cell is predicted from: acceptance is a real model's, also for a shape model.
PilotKey pilot_key(const Plan& plan, const Cell& cell, const std::string& category);

/// The policy of a cell for a prompt: `auto` from the costs of its pair and the pilots of the
/// prompt's category.
std::unique_ptr<SpeculationLengthPolicy> cell_policy(const Plan& plan, const RunLog& log,
                                                     const Cell& cell, const std::string& category,
                                                     int prompt_tokens);

}  // namespace speclab::experiments
