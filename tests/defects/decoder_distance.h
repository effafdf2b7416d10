#pragma once
#include <string>

namespace speclab::defects {

/// How far a defect of decoding moves the law of what a decoder writes.
struct Distance {
  double total_variation = -1.0;  ///< -1: the program crashed
  std::string where;
  int refused = 0;
};

const Distance& distance_of(const std::string& defect);

}  // namespace speclab::defects
