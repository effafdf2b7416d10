#pragma once
// A synthetic run, read back and summarised as figures take it.

#include "analysis/plots/figures.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis::testing {

struct SummarisedRun {
  explicit SummarisedRun(const SyntheticRun& options) {
    write_synthetic_run(options, scratch.path());
    run = read_run(scratch.path());
    const Baseline baseline(run);
    data.pooled = pooled_groups(run, baseline, bootstrap);
    data.by_category = groups_by_category(run, baseline, bootstrap);
  }
  ScratchFolder scratch;
  Run run;
  Bootstrap bootstrap{1};
  FigureData data{.run = run, .pooled = {}, .by_category = {}};
};

}  // namespace speclab::analysis::testing
