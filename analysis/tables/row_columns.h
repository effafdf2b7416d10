#pragma once
// Columns of rows.csv, rounds.csv and times.csv, as results/TABLES.md describes them: one list for
// who writes and who reads.

#include <array>
#include <string_view>
#include <vector>

namespace speclab::analysis {

inline constexpr std::array<std::string_view, 31> kRowColumns = {"row_id",
                                                                 "cell_id",
                                                                 "repetition",
                                                                 "prompt_id",
                                                                 "category",
                                                                 "model",
                                                                 "drafter",
                                                                 "tree",
                                                                 "policy",
                                                                 "verifier",
                                                                 "temperature",
                                                                 "top_k",
                                                                 "top_p",
                                                                 "min_p",
                                                                 "repetition_penalty",
                                                                 "seed",
                                                                 "sequence_id",
                                                                 "prompt_tokens",
                                                                 "output_tokens",
                                                                 "rounds",
                                                                 "drafting_rounds",
                                                                 "drafted",
                                                                 "accepted",
                                                                 "tested",
                                                                 "recovered",
                                                                 "bonus",
                                                                 "stop_reason",
                                                                 "output_hash",
                                                                 "lossless",
                                                                 "law_distance",
                                                                 "forced_acceptance"};
inline constexpr std::array<std::string_view, 10> kRoundColumns = {
    "row_id", "round",    "position", "drafted", "rows",
    "depth",  "accepted", "tested",   "emitted", "next_kind"};
inline constexpr std::array<std::string_view, 9> kTimeColumns = {
    "row_id",    "prefill_ns", "time_to_first_token_ns", "decode_ns", "draft_ns", "target_ns",
    "verify_ns", "other_ns",   "peak_memory_bytes"};
/// Columns of times.csv that runs of earlier revisions lack, all together.
inline constexpr std::array<std::string_view, 4> kReadColumns = {"target_bytes", "draft_bytes",
                                                                 "energy_j", "energy_source"};
/// Last column of times.csv if the manifest has sections.
inline constexpr std::string_view kSectionColumn = "section";

/// All columns of a times.csv.
struct TimeColumns {
  bool has_reads = true, has_sections = false;

  std::vector<std::string_view> names() const {
    std::vector<std::string_view> names(kTimeColumns.begin(), kTimeColumns.end());
    if (has_reads) names.insert(names.end(), kReadColumns.begin(), kReadColumns.end());
    if (has_sections) names.push_back(kSectionColumn);
    return names;
  }
};

}  // namespace speclab::analysis
