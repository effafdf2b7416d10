#pragma once
#include <string>
#include <vector>

namespace speclab::analysis {

/// Which program trained a drafter, and where.
struct TrainingOrigin {
  std::string revision, machine;

  bool operator==(const TrainingOrigin&) const = default;
};

/// Of the manifest.json that a training leaves: of each process that took part, the last one last;
/// of a training that was resumed by another program, or on another machine, these are several.
/// @throws DataError where it is not there or says too little of its origin: no such curve is drawn
std::vector<TrainingOrigin> read_training_origins(const std::string& folder);

}  // namespace speclab::analysis
