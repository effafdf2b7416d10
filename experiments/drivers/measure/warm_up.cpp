#include "experiments/drivers/measure/measurement.h"

#include <algorithm>

#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/measure/workbench.h"
#include "sim/policies/constant_policy.h"

namespace speclab::experiments {

void warm_up(engines::RoundDecoder& decoder, const std::vector<std::vector<Token>>& prompts,
             int batch) {
  const engines::Request longest{
      0, *std::ranges::max_element(prompts, {}, [](const auto& ids) { return ids.size(); })};
  decoder.begin(std::vector(static_cast<std::size_t>(batch), longest), ConstantPolicy(2));
  for (int rounds = 0; rounds < 2 && decoder.round(); ++rounds) {
  }
  decoder.finish();
}

void warm_up(Workbench& bench) {
  bench.progress().begin_phase("warm-up", static_cast<double>(bench.plan().cells.size()));
  for (const Cell& cell : bench.plan().cells) {
    bench.check_interruption();
    try {
      if (!cell.is_replayed() &&
          (cell.category == "all" || cell.category == bench.plan().prompts.front().category))
        bench.prepare(bench.settings(cell.setting, ""));
    } catch (const std::exception& error) {
      if (!failure_status(error)) throw;
      bench.forget_decoders();
    }
    bench.progress().advance(1);
  }
  bench.progress().end_phase();
}

}  // namespace speclab::experiments
