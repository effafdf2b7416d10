#pragma once
#include <cstddef>
#include <exception>
#include <optional>
#include <string>

#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/program/progress.h"
#include "sim/system/errors.h"

namespace speclab::experiments {

struct DryRunOptions {
  std::string folder;        ///< of the run
  std::string times_from{};  ///< folder of an earlier run that tells the time
  bool needs_yes = false;    ///< the run would ask for --yes
  bool json = false;         ///< one object in place of lines
};

/// `speclab run --dry-run`: checks the models of a plan, and prints its cells and a time.
/// @return exit code @throws ConfigError, ModelFileError for models that a run would refuse
int show_dry_run(const Plan& plan, const DryRunOptions& options, Progress& progress);

// The object that `speclab run --json` prints, however the run ends.

/// Generations of a run: asked for, measured, and failed as often as they are tried.
struct GenerationCounts {
  std::size_t planned = 0, measured = 0, failed = 0;
};

/// The end of a run. A text that is empty, and counts that are not there, are null in the object.
struct RunEnd {
  std::string folder{};  ///< empty where the config could not be read
  std::string report{};  ///< the page
  std::string answer{}, details{};
  std::size_t cells = 0;                          ///< of the plan
  bool was_complete = false;                      ///< nothing was left to measure
  bool is_submitted = false;                      ///< Slurm's jobs go on
  std::optional<GenerationCounts> generations{};  ///< none of a kind without generations
  ExitCode exit_code = ExitCode::ok;
  std::string error{};  ///< as standard error says it

  /// Takes code and message from what ended the run.
  void fail(const std::exception& error);
};

/// The object, in one line.
std::string run_json(const RunEnd& end);

}  // namespace speclab::experiments
