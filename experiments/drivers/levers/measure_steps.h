#pragma once
// Forwards of one model under every lever, which take turns with each other and with reads of
// memory.

#include <functional>
#include <string>
#include <vector>

#include "engines/interface/engines.h"
#include "experiments/drivers/levers/lever_rows.h"

namespace speclab::experiments {

/// One lever of a model, loaded.
struct LoadedLever {
  const Lever* lever;
  engines::LoadedModel loaded;
  std::vector<double> source_rates;  ///< bytes per second
};

/// The floor beside a repetition: memory's read rate, or the disk's for streamed weights.
/// @param path  of the model's file
double source_rate(engines::Engines& engines, const Lever& lever, const std::string& path);

/// Ratios within one repetition, whose median is taken: memory changes its pace from second to
/// second.
/// @param tokens  of the context, which is as long
std::vector<StepRow> measure_steps(engines::Engines& engines, const std::string& model,
                                   const std::string& path, std::vector<LoadedLever>& levers,
                                   const std::vector<Token>& tokens);

}  // namespace speclab::experiments
