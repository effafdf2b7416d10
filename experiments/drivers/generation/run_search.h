#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "engines/interface/engines.h"
#include "experiments/drivers/commands/generate.h"
#include "experiments/drivers/generation/generation_plan.h"

namespace speclab::experiments {

/// Everything that a search of one prompt needs beside its plan.
struct SearchCall {
  engines::Engines& engines;
  engines::LoadedModel& loaded;
  const engines::Request& request;
  engines::EnergyMeter* energy;              ///< null if the machine does not tell any
  std::function<void()> check_interruption;  ///< throws if the user has interrupted
};

/// Makes the texts of one prompt that rounds alone do not make: a search, or several drawn texts.
/// Prints them, unless --json is given, and a summary on standard error.
/// @param plan  with this prompt's lengths; needs_search() is true
/// @return the object that --json prints
nlohmann::ordered_json run_search(const SearchCall& call, const GenerateOptions& options,
                                  const GenerationPlan& plan);

}  // namespace speclab::experiments
