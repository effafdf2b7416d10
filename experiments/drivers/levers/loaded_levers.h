#pragma once
// One model under every lever, all in memory together.

#include <functional>
#include <string>
#include <vector>

#include "engines/interface/engines.h"
#include "experiments/drivers/levers/lever.h"

namespace speclab::experiments {

/// Gets a line before each step.
using SayLine = std::function<void(const std::string&)>;

struct LoadedLever {
  const Lever* lever;
  engines::LoadedModel loaded;
  std::vector<double> source_rates;  ///< bytes per second
};

struct LoadedLevers {
  std::string model;
  std::string path;  ///< of the model's file
  std::vector<LoadedLever> each;
};

/// @param model  of the catalogue. @throws ConfigError if it is not there
LoadedLevers load_levers(engines::Engines& engines, const std::string& model, const SayLine& say);

/// The floor beside a repetition: memory's read rate, or the disk's for streamed weights. Bytes per
/// second.
double source_rate(engines::Engines& engines, const Lever& lever, const std::string& path);

}  // namespace speclab::experiments
