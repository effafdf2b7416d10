#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tables/run_folder.h"
#include "sim/analytic/sibling_acceptance.h"

namespace speclab::analysis {

inline constexpr std::array<std::string_view, 19> kSiblingColumns = {
    "cell_id",   "category",    "model",       "drafter", "tree",   "policy",
    "verifier",  "temperature", "top_k",       "top_p",   "min_p",  "repetition_penalty",
    "prompt_id", "depth",       "parent_rank", "rank",    "drafts", "reached",
    "accepted"};

/// Sums over the nodes of a text's drafts that stand at one place.
struct SiblingSums {
  std::int64_t drafts = 0;  ///< such nodes
  double reached = 0;       ///< sum of the chances that the parent is accepted
  double accepted = 0;      ///< of those that the node is

  bool operator==(const SiblingSums&) const = default;
};

/// One row of siblings.csv, as results/TABLES.md describes it.
struct SiblingRow {
  std::string cell_id, category, prompt_id;
  CellAxes axes;
  sim::TreePlace place;
  SiblingSums sums;
};

/// @throws DataError naming file, line and column
std::vector<SiblingRow> read_siblings(const std::string& path);

}  // namespace speclab::analysis
