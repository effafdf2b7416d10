#pragma once
#include <nlohmann/json_fwd.hpp>

#include "experiments/drivers/generation/run_search.h"

namespace speclab::experiments {

/// What `generate --json` prints of a search, without its energy.
nlohmann::ordered_json search_json(const SearchCall& call, const GenerateOptions& options,
                                   const GenerationPlan& plan, const engines::SearchRecord& record);
/// Prints the texts, and on standard error forced words that they lack and a summary.
/// @param sequences  as search_json has them
void print_search(const SearchCall& call, const GenerationPlan& plan,
                  const engines::SearchRecord& record, const nlohmann::ordered_json& sequences);

}  // namespace speclab::experiments
