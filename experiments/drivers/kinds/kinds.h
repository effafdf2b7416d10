#pragma once
// The kinds of experiment. A new one is a file and a line in kinds.cpp.

#include <cstdint>
#include <string>
#include <vector>

namespace speclab::experiments {

class Workbench;

/// What a kind leaves behind, and its report shows.
enum class Yield : std::uint8_t { generations, costs, atlas, acceptance };

/// Whether it is about drafts of real models, not about time.
constexpr bool looks_at_drafts(Yield yield) {
  return yield == Yield::atlas || yield == Yield::acceptance;
}

struct ExperimentKind {
  std::string name;
  std::string description;
  void (*run)(Workbench& bench);
  Yield yield = Yield::generations;
  const char* table = "rows.csv";  ///< the file that holds what it yields
  void (*prepare)(Workbench& bench) =
      nullptr;  ///< what generations need before they are measured; where there are none, nothing
};

const std::vector<ExperimentKind>& experiment_kinds();
std::vector<std::string> experiment_kind_names();
/// @throws ContractError if there is none of that name
const ExperimentKind& experiment_kind(const std::string& name);

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
