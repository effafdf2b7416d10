#pragma once
// Every table and figure that is rebuilt; each in the file of its name.

#include "experiments/drivers/papers/comparison.h"
#include "experiments/drivers/papers/papers.h"

namespace speclab::experiments {

/// All: @throws DataError if the papers' files lack what is needed
Reproduction leviathan_table_1(const Papers& papers);
Reproduction leviathan_table_4(const Papers& papers);
Reproduction leviathan_table_5(const Papers& papers);
Reproduction leviathan_figure_2(const Papers& papers);
Reproduction leviathan_figure_3(const Papers& papers);
Reproduction leviathan_figure_4(const Papers& papers);
Reproduction leviathan_figure_5(const Papers& papers);
Reproduction chen_figure_1(const Papers& papers);
Reproduction specinfer(const Papers& papers);
Reproduction sequoia(const Papers& papers);
Reproduction hf_schedule(const Papers& papers);
Reproduction ntt_metrics(const Papers& papers);
Reproduction batch_crossover(const Papers& papers);
Reproduction metric_crosswalk(const Papers& papers);

}  // namespace speclab::experiments
