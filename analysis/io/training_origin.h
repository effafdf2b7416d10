#pragma once
#include <string>

namespace speclab::analysis {

/// Which program trained a drafter, and where.
struct TrainingOrigin {
  std::string revision, machine;
};

/// Of the manifest.json that a training leaves. @throws DataError where it is not there or says too little of its origin: no such curve is drawn
TrainingOrigin read_training_origin(const std::string& folder);

}  // namespace speclab::analysis
