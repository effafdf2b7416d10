#include "analysis/tables/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "analysis/tables/fields.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

constexpr std::int64_t kMostDrafts = 4095;  ///< of a round

/// What the rounds of a generation add up to.
struct RoundTotals {
  std::int64_t rounds = 0, drafting_rounds = 0, drafted = 0, accepted = 0, tested = 0,
               recovered = 0, bonus = 0, emitted = 0;

  void add(const Round& round) {
    ++rounds;
    drafting_rounds += round.drafted > 0;
    drafted += round.drafted;
    accepted += round.accepted;
    tested += round.tested;
    ++(round.next_kind == NextKind::bonus ? bonus : recovered);
    emitted += round.emitted;
  }
};

void check_totals(const std::string& path, const Generation& g, const RoundTotals& totals) {
  if (!g.axes.has_rounds()) return;
  const std::pair<const char*, std::pair<std::int64_t, std::int64_t>> sums[] = {
      {"rounds", {totals.rounds, g.rounds}},
      {"drafted", {totals.drafted, g.drafted}},
      {"accepted", {totals.accepted, g.accepted}},
      {"tested", {totals.tested, g.tested}},
      {"drafting_rounds", {totals.drafting_rounds, g.drafting_rounds}},
      {"recovered", {totals.recovered, g.recovered}},
      {"bonus", {totals.bonus, g.bonus}},
      {"output_tokens", {totals.emitted, g.output_tokens}}};
  // A search may go on behind the end of its best text.
  const std::size_t checked = std::size(sums) - (g.axes.generation.empty() ? 0 : 1);
  for (const auto& [name, sum] : std::span(sums).first(checked))
    if (sum.first != sum.second)
      throw DataError(fmt::format("{}: row_id {}: its rounds make {} {}, rows.csv says {}", path,
                                  g.row_id, sum.first, name, sum.second));
}

}  // namespace

const Schema<Round>& rounds_table() {
  using R = Round;
  static const Schema<R> table{
      "rounds.csv",
      "a draft-verify round of a speculative generation, or a step of a search (none for plain "
      "decoding)",
      {{"row_id", &R::row_id, Count{}, "the generation"},
       {"round", &R::round, Count{}, "0 for its first one"},
       {"position", &R::position, Count{.least = 1},
        "index of the first token this round emitted, prompt included"},
       {"drafted", &R::drafted, Count{}, "drafted nodes"},
       {"rows", &R::rows, Count{.least = 1},
        "rows of the target's forward, the pending token included"},
       {"depth", &R::depth, Count{}, "deepest drafted node"},
       {"accepted", &R::accepted, Count{}, "as in `rows.csv`"},
       {"tested", &R::tested, Count{}, ""},
       {"emitted", &R::emitted, Count{.least = 1},
        "tokens kept after a stop rule; without one `accepted` + 1"},
       {"next_kind", &R::next_kind, OneOf<NextKind>{{NextKind::recovered, NextKind::bonus}},
        "`recovered` or `bonus`"}}};
  return table;
}

/// A chain that stands as a whole ends with a bonus token, any other with a recovered one.
void check_round(const Table& table, std::size_t row, const Round& round, const RoundPlace& place) {
  if (round.round != place.round)
    table.fail(
        row, "round",
        fmt::format("expected {}: a generation's rounds stand in order, from 0", place.round));
  if (round.accepted > round.depth || round.depth > round.drafted)
    table.fail(row, "depth", "must hold: accepted <= depth <= drafted");
  if (round.drafted > kMostDrafts)
    table.fail(row, "drafted", fmt::format("at most {} in a round", kMostDrafts));
  if (round.accepted > round.tested || round.tested > round.drafted)
    table.fail(row, "tested", "must hold: accepted <= tested <= drafted");
  if (round.emitted > round.accepted + 1) table.fail(row, "emitted", "at most accepted + 1");
  if (round.rows > round.drafted + 1 && !place.is_step)
    table.fail(row, "rows", "at most drafted + 1");
  if (place.is_chain && (round.accepted == round.drafted) != (round.next_kind == NextKind::bonus))
    table.fail(row, "next_kind", "a bonus where all of a chain was accepted, and only there");
}

Generation& generation_of(const Table& table, std::size_t row, Run& run) {
  const auto found = run.generation_of_row.find(table.integer(row, "row_id"));
  if (found == run.generation_of_row.end()) table.fail(row, "row_id", "not in rows.csv");
  return run.generations[found->second];
}

void read_rounds(const std::string& path, Run& run) {
  std::map<std::int64_t, RoundTotals> totals;
  std::int64_t last = -1;
  run.rounds =
      rounds_table().read(path, [&](const Table& table, std::size_t place, const Round& round) {
        Generation& g = generation_of(table, place, run);
        if (!g.axes.has_rounds())
          table.fail(place, "row_id", "a round of plain decoding, which has none here");
        RoundTotals& sum = totals[g.row_id];
        if (sum.rounds == 0)
          g.first_round = place;
        else if (last != g.row_id)
          table.fail(place, "row_id", "the rounds of a generation stand in a row");
        last = g.row_id;
        check_round(table, place, round,
                    {.round = sum.rounds,
                     .is_chain = g.axes.tree == "chain",
                     .is_step = !g.axes.generation.empty()});
        sum.add(round);
        g.deepest = std::max(g.deepest, round.depth);
      });
  for (const Generation& g : run.generations) check_totals(path, g, totals[g.row_id]);
}

}  // namespace speclab::analysis
