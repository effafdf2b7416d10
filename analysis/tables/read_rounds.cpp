#include "analysis/tables/read_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/tables/row_columns.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

constexpr std::int64_t kMostDrafts = 4095;  ///< of a round

/// What the columns of a round owe each other. A chain that stands as a whole ends with a bonus
/// token, any other with a recovered one.
void check_round(const Table& table, std::size_t row, const Round& round, bool is_chain) {
  if (round.accepted > round.depth || round.depth > round.drafted)
    table.fail(row, "depth", "must hold: accepted <= depth <= drafted");
  if (round.drafted > kMostDrafts)
    table.fail(row, "drafted", fmt::format("at most {} in a round", kMostDrafts));
  if (round.accepted > round.tested || round.tested > round.drafted)
    table.fail(row, "tested", "must hold: accepted <= tested <= drafted");
  if (round.emitted > round.accepted + 1) table.fail(row, "emitted", "at most accepted + 1");
  if (round.rows > round.drafted + 1) table.fail(row, "rows", "at most drafted + 1");
  if (is_chain && (round.accepted == round.drafted) != (table.text(row, "next_kind") == "bonus"))
    table.fail(row, "next_kind", "a bonus where all of a chain was accepted, and only there");
}

Round read_round(const Table& table, std::size_t row, const Generation& g,
                 std::int64_t expected_round) {
  if (g.axes.is_plain())
    table.fail(row, "row_id", "a round of plain decoding, which has none here");
  return read_round_fields(
      table, row,
      {.row_id = g.row_id, .round = expected_round, .is_chain = g.axes.tree == "chain"});
}

/// What the rounds of a generation add up to.
struct RoundTotals {
  std::int64_t rounds = 0, drafting_rounds = 0, drafted = 0, accepted = 0, tested = 0,
               recovered = 0, bonus = 0, emitted = 0;
};

void check_totals(const std::string& path, const Generation& g, const RoundTotals& totals) {
  if (g.axes.is_plain()) return;
  const std::pair<const char*, std::pair<std::int64_t, std::int64_t>> sums[] = {
      {"rounds", {totals.rounds, g.rounds}},
      {"drafted", {totals.drafted, g.drafted}},
      {"accepted", {totals.accepted, g.accepted}},
      {"tested", {totals.tested, g.tested}},
      {"drafting_rounds", {totals.drafting_rounds, g.drafting_rounds}},
      {"recovered", {totals.recovered, g.recovered}},
      {"bonus", {totals.bonus, g.bonus}},
      {"output_tokens", {totals.emitted, g.output_tokens}}};
  for (const auto& [name, sum] : sums)
    if (sum.first != sum.second)
      throw DataError(fmt::format("{}: row_id {}: its rounds make {} {}, rows.csv says {}", path,
                                  g.row_id, sum.first, name, sum.second));
}

}  // namespace

void expect_round_columns(const Table& table) { table.expect_columns(kRoundColumns); }

Round read_round_fields(const Table& table, std::size_t row, const RoundPlace& place) {
  if (table.count(row, "round") != place.round)
    table.fail(
        row, "round",
        fmt::format("expected {}: a generation's rounds stand in order, from 0", place.round));
  if (const std::string kind = table.text(row, "next_kind"); kind != "recovered" && kind != "bonus")
    table.fail(row, "next_kind", "'" + escaped(kind) + "'; allowed: recovered, bonus");
  const Round round{.row_id = place.row_id,
                    .position = table.count(row, "position", 1),
                    .rows = table.count(row, "rows", 1),
                    .depth = table.count(row, "depth"),
                    .accepted = table.count(row, "accepted"),
                    .drafted = table.count(row, "drafted"),
                    .tested = table.count(row, "tested"),
                    .emitted = table.count(row, "emitted", 1)};
  check_round(table, row, round, place.is_chain);
  return round;
}

Generation& generation_of(const Table& table, std::size_t row, Run& run) {
  const auto found = run.generation_of_row.find(table.integer(row, "row_id"));
  if (found == run.generation_of_row.end()) table.fail(row, "row_id", "not in rows.csv");
  return run.generations[found->second];
}

void read_rounds(const std::string& path, Run& run) {
  const Table table = Table::read(path);
  expect_round_columns(table);
  std::map<std::int64_t, RoundTotals> totals;
  for (std::size_t row = 0; row < table.size(); ++row) {
    Generation& g = generation_of(table, row, run);
    RoundTotals& sum = totals[g.row_id];
    if (sum.rounds == 0)
      g.first_round = run.rounds.size();
    else if (run.rounds.back().row_id != g.row_id)
      table.fail(row, "row_id", "the rounds of a generation stand in a row");
    run.rounds.push_back(read_round(table, row, g, sum.rounds++));
    sum.drafting_rounds += run.rounds.back().drafted > 0;
    sum.drafted += run.rounds.back().drafted;
    g.deepest = std::max(g.deepest, run.rounds.back().depth);
    sum.accepted += run.rounds.back().accepted;
    sum.tested += run.rounds.back().tested;
    ++(table.text(row, "next_kind") == "bonus" ? sum.bonus : sum.recovered);
    sum.emitted += run.rounds.back().emitted;
  }
  for (const Generation& g : run.generations) check_totals(path, g, totals[g.row_id]);
}

}  // namespace speclab::analysis
