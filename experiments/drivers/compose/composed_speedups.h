#pragma once
// Speed-ups composed of two measurements that never met: what a machine's forwards cost, and how
// many drafts a target keeps.

#include <string>
#include <vector>

#include "analysis/tables/predictions.h"
#include "experiments/drivers/predict/predict_options.h"

namespace speclab::experiments {

struct Composition {
  std::string model;                                   ///< the target whose costs are taken
  std::string policy;                                  ///< of the length of drafts
  int prompt_tokens = 0, new_tokens = 0;               ///< of a text
  std::vector<analysis::ComposedSpeedupRow> speedups;  ///< by drafter, then temperature
  std::vector<std::string> sources;  ///< a sentence each: the costs, the counts, what was left out
};

/// Composes the costs of --machine with the counts of --drafter, or of every drafter that both
/// tell of. Rounds are simulated over the places of texts (sim::PlaceProcess) with the policy that
/// decoders have. The interval is over groups of texts (delete-one jackknife on the logarithm): a
/// group of several texts is a kind of text and has a law of its own, groups of one text share one.
/// The costs' own intervals, which hold the pace of the machine, are not in it: a pace that is
/// common to all costs leaves a speed-up as it is, and nothing in the file tells the rest from it.
/// @throws ConfigError about options, DataError about files
Composition composed_speedups(const PredictOptions& options);

/// The composition as text, as one JSON object, and as the table of composed_speedups_table().
std::string composition_text(const Composition& composition);
std::string composition_json(const Composition& composition);
std::string composition_csv(const Composition& composition);

}  // namespace speclab::experiments
