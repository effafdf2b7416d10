#pragma once
#include <functional>
#include <string>
#include <utility>

#include "experiments/drivers/program/interruption.h"
#include "experiments/drivers/workers/run_in_workers.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::testing {

/// What main does with errors.
inline int exit_code_of(const std::function<void()>& body) {
  try {
    body();
    return 0;
  } catch (const Error& error) {
    return static_cast<int>(error.code());
  }
}

/// An experiment whose worker processes are forked, not started anew.
class ForkedRun {
 public:
  ForkedRun(const SmallExperiment& experiment, const experiments::Plan& plan, std::string name)
      : experiment_(experiment), plan_(plan), name_(std::move(name)) {}

  experiments::BenchLimits limits{};
  bool allow_mixed = false;

  experiments::RunOptions options(int workers) const {
    return {.folder = experiment_.folder(name_),
            .allow_mixed = allow_mixed,
            .limits = limits,
            .workers = workers};
  }

  experiments::RunOutcome run(int workers) const {
    experiments::Progress silent(experiments::Progress::Style::silent);
    return experiments::run_in_workers(plan_, options(workers), roles(workers),
                                       experiment_.open_engines(), silent);
  }

  experiments::WorkerRoles roles(int workers) const {
    const auto serve = [this, workers](int shard) {
      return exit_code_of([&] {
        const experiments::Interruption interruption;
        experiments::RunOptions own = options(workers);
        own.limits.check_interruption = [&] { interruption.check(""); };
        experiments::serve_shard(plan_, own, shard, experiment_.open_engines());
      });
    };
    const auto prepare = [this, workers] {
      return exit_code_of([&] {
        experiments::Progress silent(experiments::Progress::Style::silent);
        experiments::prepare_run(plan_, options(workers), experiment_.open_engines(), silent);
      });
    };
    return {.prepare = prepare, .work = serve};
  }

 private:
  const SmallExperiment& experiment_;
  const experiments::Plan& plan_;
  std::string name_;
};

}  // namespace speclab::testing
