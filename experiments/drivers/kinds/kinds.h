#pragma once
// The kinds of experiment. A new one is a file and a line in kinds.cpp.

#include <string>
#include <vector>

namespace speclab::experiments {

class Workbench;

struct ExperimentKind {
  std::string name;
  std::string description;
  void (*run)(Workbench& bench);
  bool has_rows = true;  ///< generations are measured; without them the report shows the costs
};

const std::vector<ExperimentKind>& experiment_kinds();
std::vector<std::string> experiment_kind_names();
/// @throws ContractError if there is none of that name
const ExperimentKind& experiment_kind(const std::string& name);

/// Every cell over every prompt: predicted from costs and pilots, then measured.
void run_decoding(Workbench& bench);
/// Only what rounds cost.
void run_cost_surface(Workbench& bench);

}  // namespace speclab::experiments
