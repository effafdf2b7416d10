#include "experiments/drivers/measure/cell_axes.h"

namespace speclab::experiments {

analysis::CellAxes axes_of(const Cell& cell, const engines::SamplingOptions& sampling) {
  return {.model = cell.model,
          .drafter = cell.drafting.drafter,
          .tree = cell.drafting.tree,
          .policy = cell.policy,
          .verifier = cell.verifier,
          .temperature = cell.temperature,
          .top_k = sampling.top_k,
          .top_p = sampling.top_p,
          .min_p = sampling.min_p,
          .repetition_penalty = sampling.repetition_penalty};
}

}  // namespace speclab::experiments
