#include "experiments/drivers/generate/call_checks.h"

#include <fmt/format.h>

#include "engines/interface/drafter_checks.h"
#include "experiments/drivers/generate/masking_shift.h"
#include "experiments/drivers/generate/stream_checks.h"
#include "experiments/drivers/generation/run_search.h"
#include "sim/core/errors.h"
#include "sim/core/policies/policy_registry.h"
#include "sim/core/tree_growth.h"

namespace speclab::experiments {
namespace {

void check_tree(const std::string& tree, const std::string& policy) {
  if (TreeGrowth::parse(tree, 1).is_adaptive && !can_count_nodes(policy))
    throw ConfigError(
        fmt::format("policy '{}' with tree '{}', which takes its number of nodes from the policy; "
                    "allowed: heuristic, constant:N",
                    escaped(policy), escaped(tree)));
}

/// A search has no rounds.
void check_rounds(const GenerateOptions& options, const GenerationPlan& plan) {
  if (!plan.needs_search()) return;
  const char* given = options.side_by_side                      ? "--side-by-side"
                      : options.draw_trees                      ? "--draw-trees"
                      : options.common.model.rounds == "device" ? "--rounds device"
                                                                : nullptr;
  if (given == nullptr) return;
  throw ConfigError(
      fmt::format("{} with {} and num_return_sequences = {}; allowed: greedy_search, "
                  "sample or assisted_generation, and one text",
                  given, plan.mode.name, plan.num_return_sequences));
}

}  // namespace

void check_call(const GenerateOptions& options, const GenerationPlan* plan) {
  const engines::DrafterOptions& drafter = (plan ? plan->decoder : options.decoder).drafter;
  if (options.draw_trees && options.common.json)
    throw ConfigError("--draw-trees and --json contradict each other; give one");
  check_stream(options);
  check_drafter_options(drafter);
  check_tree(drafter.tree, plan ? plan->policy : options.policy);
  if (plan != nullptr) {
    check_rounds(options, *plan);
    check_stream_of_plan(options.stream, *plan);
    check_drawn_texts(*plan);
  }
  check_masking_shift(options, plan);
}

}  // namespace speclab::experiments
