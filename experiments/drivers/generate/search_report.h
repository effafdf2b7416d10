#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "experiments/drivers/generate/run_search.h"

namespace speclab::experiments {

/// A search that has ended.
struct FinishedSearch {
  const engines::SearchRecord& record;
  std::optional<EnergyUse> energy;  ///< empty if no meter told it
};

/// The object that `generate --json` prints of it.
nlohmann::ordered_json search_json(const TextCall& call, const GenerateOptions& options,
                                   const GenerationPlan& plan, const FinishedSearch& search);
/// Prints the texts, and on standard error forced words that they lack and a summary.
/// @param sequences  as search_json has them
void print_search(const TextCall& call, const GenerationPlan& plan,
                  const engines::SearchRecord& record, const nlohmann::ordered_json& sequences);

}  // namespace speclab::experiments
