#pragma once
#include <string>

namespace speclab::experiments {

class Workbench;

/// What a kind of experiment does once its models are loaded.
struct KindSteps {
  const char* kind;  ///< its name
  void (*run)(Workbench& bench);
  /// What generations need before they are measured; null where there are none.
  void (*prepare)(Workbench& bench) = nullptr;
};

/// @param kind  one of experiment_kind_names()
const KindSteps& kind_steps(const std::string& kind);

/// Every cell over every prompt: predicted from costs and pilots, then measured.
void run_decoding(Workbench& bench);
/// Pilots, costs and predictions.
void prepare_decoding(Workbench& bench);
/// Only what rounds cost.
void run_cost_surface(Workbench& bench);
/// What every verification rule makes of the same logged drafts.
void run_rule_atlas(Workbench& bench);
/// What every drafter would keep at every place of the target's own text.
void run_drafter_acceptance(Workbench& bench);

}  // namespace speclab::experiments
