#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/plots/figures.h"
#include "analysis/stats/ledger.h"

namespace speclab::analysis {

/// A group and what its prediction missed.
struct GroupLedger {
  const Group* group;
  Ledger ledger;
};

/// Of all groups that have one, in their order.
std::vector<GroupLedger> ledgers_of(const std::vector<Group>& groups, const LedgerMaker& maker);

/// The ledger that the report draws: of the drafter that the pilots chose at the lowest
/// temperature, else of the first that drafts.
const GroupLedger* shown_ledger(const FigureData& data, const std::vector<GroupLedger>& ledgers);

/// Of a run's groups, pooled over the categories and in each.
struct RunLedgers {
  std::vector<GroupLedger> pooled, by_category;
  bool cells_are_pooled = false;  ///< whether a cell holds prompts of several categories

  const std::vector<GroupLedger>& of_cells() const {
    return cells_are_pooled ? pooled : by_category;
  }
};

/// A table of the pooled ledgers and, in words, why each group came out as it did; empty where
/// there is none.
std::string ledger_section_html(const FigureData& data, const RunLedgers& ledgers);

/// The text of ledger.csv: the pooled groups, then those of each category.
std::string ledger_csv(const RunLedgers& ledgers);

}  // namespace speclab::analysis
