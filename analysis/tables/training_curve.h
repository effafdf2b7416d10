#pragma once
// How a training went, and which programs and machines made it.

#include <cstdint>
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

/// What held-out text told at one report of a training, of the k-th drafted token behind the text's
/// own.
struct HeldOutPoint {
  double loss = 0;        ///< nats
  double acceptance = 0;  ///< mean sum of min(p, q), or at least; of a language model the
                          ///< probability of the text's next token
  double agreement = 0;   ///< share of places with the same most likely token
  double loss_error = 0, acceptance_error = 0,
         agreement_error = 0;  ///< standard errors over clusters
};

struct TrainingPoint {
  double tokens = 0;                   ///< visited so far
  double loss = 0;                     ///< on the training text since the report before, nats
  std::vector<HeldOutPoint> held_out;  ///< [k - 1]
  std::int64_t clusters = 0;  ///< prompts, or stretches of files, that were held out; 0 where an
                              ///< older training did not note it, nor errors

  /// 1 + the sum of products of acceptance: what a round would emit if all drafted tokens were
  /// tested, each kept independently of the others.
  double tokens_per_round() const;
  /// Its standard error at most, to first order: as if acceptance of all drafted tokens erred
  /// together.
  double tokens_per_round_error() const;
};

/// What `speclab train` leaves of how it went.
struct TrainingCurve {
  std::string name;  ///< of the folder
  std::vector<TrainingPoint> points;
  std::vector<TrainingOrigin>
      origins{};         ///< in the order of their parts; of several stages those of each
  std::string stages{};  ///< in words, where it is several trainings that went on from each other;
                         ///< else empty
};

/// One training of them all, in the order given: tokens go on from where the stage before ended.
/// Named as the last.
/// @param stages  at least one @throws ConfigError if they draft different numbers of tokens
TrainingCurve joined_stages(const std::vector<TrainingCurve>& stages);

/// Whether there is a training.csv, and no manifest.toml of a run.
bool is_training_folder(const std::string& folder);

/// Of training.csv and manifest.json. @throws DataError naming file, line and column; where there
/// are no rows, or tokens do not grow; where the origin is unknown
TrainingCurve read_training_curve(const std::string& folder);

}  // namespace speclab::analysis
