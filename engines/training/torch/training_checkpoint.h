#pragma once
#include <istream>
#include <nlohmann/json.hpp>
#include <string>

#include "engines/training/torch/optimiser.h"
#include "engines/training/torch/torch_layers.h"
#include "sim/core/records.h"

namespace speclab::engines {

/// Where a training stands, beside its weights and the optimiser's moments.
struct TrainingState {
  std::int64_t step = 0;     ///< next one
  std::int64_t visited = 0;  ///< tokens
  double loss_sum = 0;       ///< since the last report
  std::int64_t loss_count = 0;
  std::string curve;  ///< so far, its header first
  nlohmann::ordered_json origins =
      nlohmann::ordered_json::array();  ///< provenance of the processes that took part so far
};

/// Which training it is.
struct TrainingIdentity {
  std::string digest;   ///< of everything the steps depend on
  Provenance settings;  ///< keys of its config and their values, to say in what another one differs
};

/// A file with everything that the further steps depend on.
class TrainingCheckpoint {
 public:
  /// @param parameters, optimiser  outlive the object
  TrainingCheckpoint(std::string path, TrainingIdentity training, Parameters& parameters,
                     Optimiser& optimiser)
      : path_(std::move(path)),
        training_(std::move(training)),
        parameters_(parameters),
        optimiser_(optimiser) {}

  /// Replaces the old file as a whole. @throws WriteError
  void save(const TrainingState& state) const;
  /// Brings parameters and optimiser to where they were. @throws DataError if the file is damaged
  /// or of another training
  TrainingState load() const;

 private:
  std::string content() const;
  TrainingState state_in(std::istream& stream) const;

  std::string path_;
  TrainingIdentity training_;
  Parameters& parameters_;
  Optimiser& optimiser_;
};

}  // namespace speclab::engines
