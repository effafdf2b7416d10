#pragma once
#include <optional>
#include <string>

#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

/// What an earlier run says of a plan's time: nanoseconds a token of the same cell, else of the
/// same model and drafter, else of the same model. The cost surface and loading are not in it.
struct TimeEstimate {
  double seconds = 0;             ///< of the generations and pilots that are known
  std::size_t unknown_cells = 0;  ///< whose model was not measured
};

/// @param folder  of a run, with rows or with the cells of its report alone. @throws DataError if
/// it cannot be read
TimeEstimate estimate_time(const Plan& plan, const std::string& folder);

/// Folders that may know a pace, the first one first.
struct PaceSources {
  std::string times_from{};  ///< folder of a run that the user names; then no other is asked
  std::string run_folder{};  ///< of the plan, where rows may have been measured already
  std::string
      references{};  ///< folder of committed runs: those that have measured every model and drafter
                     ///< of the plan count, and the one with the most of its cells is taken
};

/// An estimate and where its pace is from.
struct SourcedEstimate {
  TimeEstimate estimate;
  std::string source;  ///< a folder, and what is to be known about it
};

/// From the first source that knows one; nothing where none does. @throws DataError if the run that
/// the user names cannot be read
std::optional<SourcedEstimate> find_estimate(const Plan& plan, const PaceSources& sources);

/// A line for --dry-run.
std::string time_estimate_text(const std::optional<SourcedEstimate>& estimate);

}  // namespace speclab::experiments
