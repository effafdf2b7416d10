#pragma once
// The registry: a line an experiment, a file each in tables/.

#include <span>

#include "experiments/drivers/papers/comparison.h"
#include "experiments/drivers/papers/papers.h"

namespace speclab::experiments {

/// A table or figure of a paper that `speclab reproduce` rebuilds from closed forms.
struct PaperExperiment {
  const char* id;
  const char* title;
  Reproduction (*run)(const Papers& papers);
};

std::span<const PaperExperiment> paper_experiments();

/// @throws ConfigError listing the names that are allowed, those of measured tables among them
const PaperExperiment& paper_experiment(const std::string& id);

}  // namespace speclab::experiments
