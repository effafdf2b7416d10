#pragma once
// A shard: some of the generations of a plan, measured by one process into a journal of its own.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/drivers/run/run_experiment.h"

namespace speclab::experiments {

struct FailureEntry;
struct Measured;

/// A generation for a shard to measure.
struct Assignment {
  std::size_t row = 0;
  int attempts = 0;  ///< how often it was tried before
};

/// Where a shard gets its work from and whom it tells.
struct ShardFeed {
  std::function<std::optional<Assignment>()> next;  ///< nothing: the shard ends
  std::function<void(std::size_t row)> begun = [](std::size_t) {};
  std::function<void(std::size_t row, const Measured&)> ended = [](std::size_t, const Measured&) {};
};

/// Measures what the feed names into RUN/shards/SHARD/journal, from what prepare_run left. Ends
/// early behind a failure that leaves the process in doubt, so that another one goes on.
/// @throws what run_experiment throws; DataError if the run was not prepared
void measure_shard(const Plan& plan, const RunOptions& options, int shard, const ShardFeed& feed,
                   const OpenEngines& open_engines);

/// Notes that a generation ended with its process, which is gone. @throws LockedError if it is not
void note_failure(const Plan& plan, const RunOptions& options, int shard,
                  const FailureEntry& failure);

/// Rows in blocks of what is compared with each other (a repetition of a prompt under a model and
/// temperature), which one process measures close together. @param rows  in the order of measuring
std::vector<std::vector<std::size_t>> blocks_of(const Plan& plan,
                                                const std::vector<std::size_t>& rows);

/// The blocks dealt to `num_shards` hands in turn, each joined; the last are empty where there are
/// few.
std::vector<std::vector<std::size_t>> dealt(const std::vector<std::vector<std::size_t>>& blocks,
                                            std::size_t num_shards);

}  // namespace speclab::experiments
