#pragma once
// Whether two runs did the same work, without which no number of one may be held against the
// other's.

#include <string>
#include <vector>

#include "analysis/tables/run_folder.h"

namespace speclab::analysis {

/// Rows of the same cell, prompt and repetition.
struct RowPair {
  const Generation* base;
  const Generation* head;
};

/// Rows that both runs have, in the order of the base.
std::vector<RowPair> row_pairs(const Run& base, const Run& head);

/// What of their origin and configs forbids to compare two runs, a sentence each: an origin that
/// was not noted; another kind, target, prompts, lengths, stop rules, sampling settings,
/// verification, caches or number of repetitions.
std::vector<std::string> config_differences(const Manifest& base, const Manifest& head);

/// The same, and what of their rows does; none if the runs did the same work: they are complete,
/// read and emitted the same tokens, and at temperature 0 wrote the same text, also as their own
/// plain decoding. Texts of sampled rows may differ, and gate_counts looks at their lengths.
std::vector<std::string> work_differences(const Run& base, const Run& head);

/// What may make counts differ between runs of the same work, "name: BASE, HEAD" each: machine,
/// number format, library, seed, drafters' weights and settings, axes and pilots of the config.
/// None: counts must be equal.
std::vector<std::string> origin_differences(const Manifest& base, const Manifest& head);

}  // namespace speclab::analysis
