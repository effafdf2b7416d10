#pragma once
#include <chrono>
#include <string>

#include "engines/interface/training.h"

namespace speclab::experiments {

/// Lines of progress on standard error, with what is left of a phase; what a resumed phase found
/// done is not counted.
class TrainingProgressLines {
 public:
  void show(const engines::TrainProgress& progress);

 private:
  std::string phase_;
  double first_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace speclab::experiments
