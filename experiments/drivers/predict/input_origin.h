#pragma once
#include <string>
#include <vector>

#include "experiments/drivers/predict/predict_options.h"

namespace speclab::experiments {

/// By which revision and machine a measured table is, as a sentence. @throws DataError as
/// input_origins
std::string origin_of_table(const std::string& path);

/// Of each measured table that the options name a sentence: by which revision and machine, as the
/// manifest.toml beside it says, or that this is not recorded. @throws DataError where that
/// manifest says too little, as for every figure of its run
std::vector<std::string> input_origins(const PredictOptions& options);

}  // namespace speclab::experiments
