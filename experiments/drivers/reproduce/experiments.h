#pragma once
// The registry: a line an experiment, a file each in tables/.

#include <span>

#include "experiments/drivers/reproduce/comparison.h"
#include "experiments/drivers/reproduce/papers.h"

namespace speclab::experiments {

/// A table or figure of a paper that `speclab reproduce` rebuilds.
struct PaperExperiment {
  const char* id;
  const char* title;
  Reproduction (*run)(const Papers& papers);
};

/// All of them need closed forms only.
std::span<const PaperExperiment> paper_experiments();

/// @throws ConfigError listing the names that are allowed
const PaperExperiment& paper_experiment(const std::string& id);

}  // namespace speclab::experiments
