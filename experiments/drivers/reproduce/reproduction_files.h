#pragma once
#include <string>
#include <vector>

#include "experiments/drivers/papers/comparison.h"

namespace speclab::experiments {

/// A table or figure by its name on the command line.
struct ReproductionName {
  std::string id, title;
};

/// For people: every row, ours beside the paper's, the slips and what the rows amount to.
std::string reproduction_text(const ReproductionName& name, const Reproduction& reproduction,
                              const std::vector<Slip>& slips);

struct ReproductionOutput {
  std::string folder;  ///< of all; each experiment has a folder of its name in it
  bool figures = true;
};

/// comparison.csv, remarks.txt where there are remarks, and the figures. @return the folder @throws
/// WriteError
std::string write_reproduction(const ReproductionName& name, const Reproduction& reproduction,
                               const ReproductionOutput& output);

struct ReproductionSummary {
  std::string id;
  VerdictCounts counts;
  int slips_of_text = 0;
};

/// FOLDER/summary.csv: an experiment a row, with the revision that made it. @throws WriteError
void write_summary(const std::vector<ReproductionSummary>& summaries, const std::string& folder);

}  // namespace speclab::experiments
