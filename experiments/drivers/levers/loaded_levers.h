#pragma once
// One model under every lever, all in memory together.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engines/interface/engines.h"

namespace speclab::experiments {

/// A form of the weights that changes what a step costs.
struct Lever {
  const char* name;
  const char* dtype;
  const char* activations;
  bool streams;     ///< four fifths of the weights are read at every forward
  bool in_batches;  ///< decoded in batches too
};
std::span<const Lever> levers();

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
