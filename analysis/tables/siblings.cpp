#include "analysis/tables/siblings.h"

#include <set>
#include <tuple>

#include "analysis/tables/fields.h"

namespace speclab::analysis {
namespace {

constexpr std::int64_t kMostPlaces = 10'000;  ///< levels, and children of a node

void check_sums(const Table& table, std::size_t place, const SiblingRow& row) {
  if ((row.place.parent_rank == 0) != (row.place.depth == 1))
    table.fail(place, "parent_rank", "0 at depth 1, and only there");
  check_part(table, place, "reached", row.sums.reached, static_cast<double>(row.sums.drafts));
  check_part(table, place, "accepted", row.sums.accepted, row.sums.reached);
}

}  // namespace

const Schema<SiblingRow>& siblings_table() {
  using S = SiblingRow;
  const auto of_place = part_of(&S::place);
  const auto of_sums = part_of(&S::sums);
  static const Schema<S> table{
      "siblings.csv",
      "a prompt of a cell and a place in its drafts' trees (only if there are trees)",
      joined<S>(
          {cell_columns<S>(&S::cell_id, &S::category, &S::axes),
           {{"prompt_id", &S::prompt_id, Text{}, "prompt"},
            {"depth", of_place(&sim::TreePlace::depth), Count{.least = 1, .most = kMostPlaces},
             "where a node stands: its depth, 1 is the first; the place of its parent among "
             "that one's siblings, 0 at depth 1; its own, 1 is the first"},
            {"parent_rank", of_place(&sim::TreePlace::parent_rank), Count{.most = kMostPlaces}, ""},
            {"rank", of_place(&sim::TreePlace::rank), Count{.least = 1, .most = kMostPlaces}, ""},
            {"drafts", of_sums(&SiblingSums::drafts), Count{.least = 1}, "such nodes"},
            {"reached", of_sums(&SiblingSums::reached), Number{},
             "sum of the chances that their parents are accepted; that they are themselves"},
            {"accepted", of_sums(&SiblingSums::accepted), Number{}, ""}}})};
  return table;
}

std::vector<SiblingRow> read_siblings(const std::string& path) {
  std::set<std::tuple<std::string, std::string, sim::TreePlace>> places;
  return siblings_table().read(
      path, [&places](const Table& table, std::size_t place, const SiblingRow& row) {
        check_sums(table, place, row);
        if (!places.insert({row.cell_id, row.prompt_id, row.place}).second)
          table.fail(place, "rank", "a place that no earlier row of the cell and prompt has");
      });
}

}  // namespace speclab::analysis
