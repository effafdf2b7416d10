#include "engines/interface/names.h"
#include "experiments/drivers/config/run_config.h"

namespace speclab::experiments {

std::vector<NamedDrafter> all_drafters(const RunConfig& config) {
  std::vector<NamedDrafter> drafters;
  for (const char* kind : engines::kDrafterKinds) drafters.push_back({.name = kind, .options = {.kind = kind}});
  drafters.insert(drafters.end(), config.drafters.begin(), config.drafters.end());
  return drafters;
}

bool follows_tree_axis(const NamedDrafter& drafter) { return engines::is_among(drafter.options.kind, engines::kTreeDrafterKinds) && !drafter.has_tree; }

bool is_shape_model(const std::string& model) { return model.starts_with(engines::kShapeModelPrefix); }

}  // namespace speclab::experiments
