#include "experiments/drivers/levers/lever.h"

namespace speclab::experiments {

std::span<const Lever> levers() {
  static constexpr Lever kLevers[] = {{"bfloat16", "bfloat16", "exact", false, true},
                                      {"int8", "q8", "int8", false, true},
                                      {"4-bit", "file", "int8", false, true},
                                      {"4-bit exact", "file", "exact", false, false},
                                      {"streamed", "file", "exact", true, true}};
  return kLevers;
}

}  // namespace speclab::experiments
