#include "analysis/tables/timeline.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "analysis/tables/fields.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// Rounds of a row stand in their order, without a gap.
class Order {
 public:
  void check(const Table& table, std::size_t place, const TimelineRound& round) {
    if (round.accepted > round.drafted) table.fail(place, "accepted", "more than drafted");
    if (round.emitted > round.accepted + 1) table.fail(place, "emitted", "more than accepted + 1");
    if (round.row_id < row_id_) table.fail(place, "row_id", "below that of the row before");
    if (round.row_id != row_id_) next_ = 0;
    row_id_ = round.row_id;
    if (round.round != next_++) table.fail(place, "round", "not the one after the row before");
  }

 private:
  std::int64_t row_id_ = -1, next_ = 0;
};

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

const Schema<TimelineRound>& timeline_table() {
  using T = TimelineRound;
  static const Schema<T> table{
      "timeline.csv",
      "a round of a generation whose text is shown, or a step of its plain decoding, measured",
      {{"row_id", &T::row_id, Count{}, "as in `rows.csv`"},
       {"round", &T::round, Count{}, "0 for the first one"},
       {"drafted", &T::drafted, Count{.unit = "tokens"}, "as in `rounds.csv`"},
       {"accepted", &T::accepted, Count{.unit = "tokens"}, ""},
       {"emitted", &T::emitted, Count{.least = 1, .unit = "tokens"}, ""},
       {"draft_ns", &T::draft_ns, Count{.unit = "ns"},
        "time of the round by what it was spent on, as in `times.csv`"},
       {"target_ns", &T::target_ns, Count{.unit = "ns"}, ""},
       {"verify_ns", &T::verify_ns, Count{.unit = "ns"}, ""},
       {"other_ns", &T::other_ns, Count{.unit = "ns"}, ""}}};
  return table;
}

std::vector<TimelineRound> read_timeline(const std::string& path, const Run& run) {
  Order order;
  std::vector<TimelineRound> rounds = timeline_table().read_if_there(
      path, [&order](const Table& table, std::size_t place, const TimelineRound& round) {
        order.check(table, place, round);
      });
  check_generations(path, rounds, run);
  return rounds;
}

}  // namespace speclab::analysis
