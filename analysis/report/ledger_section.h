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

/// The ledger that the report draws: of the drafter that the pilots chose at the lowest temperature, else of the first that drafts.
const GroupLedger* shown_ledger(const FigureData& data, const std::vector<GroupLedger>& ledgers);

/// A table of all ledgers and, in words, why each group came out as it did; empty where there is none.
std::string ledger_section_html(const FigureData& data, const std::vector<GroupLedger>& ledgers);

/// The text of ledger.csv, a row for a group of one category.
std::string ledger_csv(const std::vector<GroupLedger>& ledgers);

}  // namespace speclab::analysis
