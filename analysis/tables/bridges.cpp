#include "analysis/tables/bridges.h"

#include <algorithm>
#include <set>

#include "analysis/tables/fields.h"

namespace speclab::analysis {
const Schema<BridgeRow>& bridges_table() {
  const auto of_use = part_of(&BridgeRow::use);
  const auto of_overlap = part_of(of_use(&BridgeUse::overlap));
  static const Schema<BridgeRow> table{
      "bridges.csv",
      "a generation whose drafter has another tokenizer than the target (only if there are any)",
      {{"row_id", &BridgeRow::row_id, Count{}, "as in `rows.csv`"},
       {"bridge", of_use(&BridgeUse::bridge), Text{},
        "the way from the drafter's tokens to the target's, as `engines/CHOICES.md` names them"},
       {"draft_tokens", of_use(&BridgeUse::draft_tokens), Count{.unit = "tokens"},
        "drafted, in the drafter's own tokens; `drafted` of `rows.csv` counts the target's"},
       {"spelling_ns", of_use(&BridgeUse::spelling_ns), Count{.unit = "ns"},
        "decoding and encoding texts between the tokenizers; part of `draft_ns`"},
       {"unshared_outputs", of_use(&BridgeUse::unshared_outputs), Count{.unit = "tokens"},
        "emitted tokens that the drafter's vocabulary does not hold"},
       {"shared_vocabulary", of_overlap(&VocabularyOverlap::shared), Count{.unit = "tokens"},
        "that both tokenizers spell equally; that each of both has"},
       {"draft_vocabulary", of_overlap(&VocabularyOverlap::draft),
        Count{.least = 1, .unit = "tokens"}, ""},
       {"target_vocabulary", of_overlap(&VocabularyOverlap::target),
        Count{.least = 1, .unit = "tokens"}, ""}}};
  return table;
}

std::vector<BridgeRow> read_bridges(const std::string& path) {
  std::set<std::int64_t> seen;
  return bridges_table().read_if_there(
      path, [&seen](const Table& table, std::size_t place, const BridgeRow& row) {
        if (!seen.insert(row.row_id).second)
          table.fail(place, "row_id", "a generation that has a row already");
        const VocabularyOverlap& overlap = row.use.overlap;
        if (overlap.shared > std::min(overlap.draft, overlap.target))
          table.fail(place, "shared_vocabulary", "more tokens than one of both vocabularies has");
      });
}

}  // namespace speclab::analysis
