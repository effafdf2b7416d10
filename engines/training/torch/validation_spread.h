#pragma once
// Held-out text in clusters, texts of one prompt or stretches of a file: means, and how far chance
// in their choice moves them.

#include <span>
#include <string>
#include <vector>

#include "engines/training/torch/training_loop.h"

namespace speclab::engines {

/// Of one drafted token. Standard errors are those of ratios of totals over clusters; 0 with one
/// cluster.
struct ValidationSpread {
  Validation mean;
  Validation error;  ///< `positions` unused
  std::size_t num_clusters = 0;
};

/// Of each drafted token in a row.
std::vector<ValidationSpread> validate_in_clusters(const TrainingTask& task,
                                                   TrainingTask::Texts texts);

/// Columns of a curve behind tokens and loss_nats, and what stands in them.
std::string validation_columns(int num_steps);
std::string validation_fields(const std::vector<ValidationSpread>& by_step);

}  // namespace speclab::engines
