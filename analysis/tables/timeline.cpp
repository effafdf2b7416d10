#include "analysis/tables/timeline.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <tuple>

#include "analysis/tables/table.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// Rounds of a row stand in their order, without a gap.
void check_order(const Table& table, std::size_t row, const std::vector<TimelineRound>& before,
                 std::int64_t& next) {
  const std::int64_t id = table.integer(row, "row_id");
  if (before.empty() || before.back().row_id != id) next = 0;
  if (!before.empty() && id < before.back().row_id)
    table.fail(row, "row_id", "below that of the row before");
  if (table.count(row, "round") != next++)
    table.fail(row, "round", "not the one after the row before");
}

TimelineRound read_round(const Table& table, std::size_t row) {
  const auto ns = [&](const char* column) { return table.count(row, column); };
  const TimelineRound round{.row_id = table.count(row, "row_id"),
                            .drafted = table.count(row, "drafted"),
                            .accepted = table.count(row, "accepted"),
                            .emitted = table.count(row, "emitted", 1),
                            .draft_ns = ns("draft_ns"),
                            .target_ns = ns("target_ns"),
                            .verify_ns = ns("verify_ns"),
                            .other_ns = ns("other_ns")};
  if (round.accepted > round.drafted) table.fail(row, "accepted", "more than drafted");
  if (round.emitted > round.accepted + 1) table.fail(row, "emitted", "more than accepted + 1");
  return round;
}

/// Sums over the rounds of a generation.
struct RoundSums {
  std::int64_t rounds = 0, drafted = 0, accepted = 0, emitted = 0;

  void add(const TimelineRound& round) {
    ++rounds, drafted += round.drafted, accepted += round.accepted, emitted += round.emitted;
  }
  bool are_of(const Generation& g) const {
    return std::tie(rounds, drafted, accepted, emitted) ==
           std::tie(g.rounds, g.drafted, g.accepted, g.output_tokens);
  }
};

/// Rounds are all of their generation's.
void check_generations(const std::string& path, const std::vector<TimelineRound>& rounds,
                       const Run& run) {
  std::map<std::int64_t, RoundSums> sums;
  for (const TimelineRound& round : rounds) sums[round.row_id].add(round);
  for (const auto& [id, sum] : sums) {
    const auto found = run.generation_of_row.find(id);
    if (found == run.generation_of_row.end())
      throw DataError(fmt::format("{}: row_id {} is not in rows.csv", path, id));
    if (!sum.are_of(run.generations[found->second]))
      throw DataError(fmt::format(
          "{}: the rounds of row_id {} do not add up to its row in rows.csv", path, id));
  }
}

}  // namespace

std::vector<TimelineRound> read_timeline(const std::string& path, const Run& run) {
  if (!std::filesystem::exists(path)) return {};
  const Table table = Table::read(path);
  table.expect_columns(kTimelineColumns);
  std::vector<TimelineRound> rounds;
  std::int64_t next = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    check_order(table, row, rounds, next);
    rounds.push_back(read_round(table, row));
  }
  check_generations(path, rounds, run);
  return rounds;
}

}  // namespace speclab::analysis
