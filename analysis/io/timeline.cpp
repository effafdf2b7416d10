#include "analysis/io/timeline.h"

#include <filesystem>

#include "analysis/io/table.h"

namespace speclab::analysis {
namespace {

/// Rounds of a row stand in their order, without a gap.
void check_order(const Table& table, std::size_t row, const std::vector<TimelineRound>& before, std::int64_t& next) {
  const std::int64_t id = table.integer(row, "row_id");
  if (before.empty() || before.back().row_id != id) next = 0;
  if (!before.empty() && id < before.back().row_id) table.fail(row, "row_id", "below that of the row before");
  if (table.count(row, "round") != next++) table.fail(row, "round", "not the one after the row before");
}

TimelineRound read_round(const Table& table, std::size_t row) {
  const auto ns = [&](const char* column) { return table.count(row, column); };
  const TimelineRound round{.row_id = table.count(row, "row_id"), .drafted = table.count(row, "drafted"), .accepted = table.count(row, "accepted"), .emitted = table.count(row, "emitted", 1),
                            .draft_ns = ns("draft_ns"), .target_ns = ns("target_ns"), .verify_ns = ns("verify_ns"), .other_ns = ns("other_ns")};
  if (round.accepted > round.drafted) table.fail(row, "accepted", "more than drafted");
  if (round.emitted > round.accepted + 1) table.fail(row, "emitted", "more than accepted + 1");
  return round;
}

}  // namespace

std::vector<TimelineRound> read_timeline(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  const Table table = Table::read(path);
  table.expect_columns(kTimelineColumns);
  std::vector<TimelineRound> rounds;
  std::int64_t next = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    check_order(table, row, rounds, next);
    rounds.push_back(read_round(table, row));
  }
  return rounds;
}

}  // namespace speclab::analysis
