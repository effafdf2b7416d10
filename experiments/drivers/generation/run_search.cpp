#include "experiments/drivers/generation/run_search.h"

#include <nlohmann/json.hpp>

#include "sim/core/errors.h"

namespace speclab::experiments {

nlohmann::ordered_json run_search(const SearchCall&, const GenerateOptions&,
                                  const GenerationPlan&) {
  throw ConfigError("searches are not built yet");
}

}  // namespace speclab::experiments
