#pragma once
#include <span>

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

}  // namespace speclab::experiments
