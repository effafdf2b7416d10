#include "experiments/drivers/compose/contradictions.h"

#include <utility>

namespace speclab::experiments {
namespace {

using Given = std::vector<std::pair<const char*, bool>>;

std::vector<std::string> given_names(const Given& options) {
  std::vector<std::string> names;
  for (const auto& [name, is_given] : options)
    if (is_given) names.emplace_back(name);
  return names;
}

}  // namespace

std::vector<std::string> options_of_other_predictions(const PredictOptions& options) {
  return given_names({{"--acceptance-rate", options.acceptance_rate.has_value()},
                      {"--trace", options.trace.has_value()},
                      {"--observed", options.observed.has_value()},
                      {"--target-law", options.target_law.has_value()},
                      {"--draft-law", options.draft_law.has_value()},
                      {"--rank-acceptance", options.rank_acceptance.has_value()},
                      {"--cost-ratio", options.cost_ratio.has_value()},
                      {"--verify-cost-ratio", options.verify_cost_ratio.has_value()},
                      {"--overhead-ratio", options.overhead_ratio.has_value()},
                      {"--costs", options.costs.has_value()},
                      {"--max-length", options.max_length.has_value()},
                      {"--draft-operations-ratio", options.draft_operations_ratio != "0"},
                      {"--target-bytes", options.target_bytes.has_value()},
                      {"--draft-bytes", options.draft_bytes.has_value()},
                      {"--tree-budget", options.tree_budget.has_value()},
                      {"--tree-levels", options.tree_levels.has_value()},
                      {"--batch", options.batch.has_value()},
                      {"--num-beams", options.num_beams.has_value()},
                      {"--draft-beams", options.draft_beams.has_value()},
                      {"--mlp-speculator", options.mlp_speculator.has_value()},
                      {"--candidates", options.candidates.has_value()},
                      {"--lenience", options.lenience.has_value()},
                      {"--plot", options.plot.has_value()}});
}

std::vector<std::string> options_of_passes(const PredictOptions& options) {
  return given_names({{"--device", options.device.has_value()},
                      {"--kernels", options.kernels.has_value()},
                      {"--rows", options.rows.has_value()},
                      {"--rounds", options.rounds}});
}

}  // namespace speclab::experiments
