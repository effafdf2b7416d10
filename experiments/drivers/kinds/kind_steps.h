#pragma once
#include <string>
#include <utility>
#include <vector>

#include "experiments/drivers/journal/run_log.h"

namespace speclab::experiments {

class Workbench;

/// Name and content.
using NamedFile = std::pair<std::string, std::string>;

/// The work of a kind of experiment once its models are loaded, and the tables that it makes.
struct KindSteps {
  const char* kind;  ///< its name
  void (*run)(Workbench& bench);
  /// Measures all that generations need first; null where there are none.
  void (*prepare)(Workbench& bench) = nullptr;
  /// Tables of its entries of cells, its own first; null where it has generations or costs.
  std::vector<NamedFile> (*tables)(const Plan& plan, const RunLog& log) = nullptr;
  const char* row = "";  ///< the thing that a row of its own table is, for messages
};

/// @param kind  one of experiment_kind_names()
const KindSteps& kind_steps(const std::string& kind);

/// Every cell over every prompt: predicted from costs and pilots, then measured.
void run_decoding(Workbench& bench);
/// Pilots, costs and predictions.
void prepare_decoding(Workbench& bench);
/// Only what rounds cost.
void run_cost_surface(Workbench& bench);
/// Shows the same logged drafts to every verification rule.
void run_rule_atlas(Workbench& bench);
std::vector<NamedFile> rule_atlas_tables(const Plan& plan, const RunLog& log);
/// Counts the drafts that the target would keep at every place of its own text.
void run_drafter_acceptance(Workbench& bench);
std::vector<NamedFile> drafter_acceptance_tables(const Plan& plan, const RunLog& log);

}  // namespace speclab::experiments
