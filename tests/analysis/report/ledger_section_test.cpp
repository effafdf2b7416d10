#include "analysis/report/page.h"

#include <gtest/gtest.h>

namespace speclab::analysis {
namespace {

Group drafting_group() {
  Group group;
  group.axes = {.model = "base", .drafter = "bigram"};
  group.category = "all";
  group.summary.drafting_fraction = 1;
  return group;
}

/// The section about one group that took this many times its predicted walltime.
std::string section(double measured_over_predicted) {
  const analysis::Run run;
  const FigureData data{run, {drafting_group()}, {}};
  Ledger ledger;
  ledger.predicted_ns = 1e9;
  ledger.measured_ns = measured_over_predicted * 1e9;
  RunLedgers ledgers;
  ledgers.pooled.push_back({&data.pooled.front(), ledger});
  return ledger_section_html(data, ledgers);
}

/// Defect: a walltime above its prediction is called less.
TEST(LedgerSection, SaysWhichWayTheWalltimeDiffers) {
  EXPECT_NE(section(1.25).find("took 25.0 % longer than predicted"), std::string::npos)
      << section(1.25);
  EXPECT_NE(section(0.8).find("took 20.0 % less time than predicted"), std::string::npos)
      << section(0.8);
}

}  // namespace
}  // namespace speclab::analysis
