#include "analysis/tables/atlas.h"

#include <algorithm>
#include <array>
#include <set>

#include "analysis/tables/fields.h"

namespace speclab::analysis {
namespace {

/// The names of a counted mean's five columns.
struct MeanNames {
  std::string closed_form, counted, low, high, p;

  explicit MeanNames(const std::string& name)
      : closed_form(name),
        counted("counted_" + name),
        low(counted + "_low"),
        high(counted + "_high"),
        p(name + "_p") {}
};

/// @param most  that the mean can be
std::optional<CountedMean> read_mean(const Table& table, std::size_t row, const MeanNames& names,
                                     double most) {
  const auto number = [&](const std::string& column, double high) {
    return table.optional_number_from(0, high, row, column);
  };
  const auto closed_form = number(names.closed_form, most), counted = number(names.counted, most),
             low = number(names.low, most), high = number(names.high, most),
             p = number(names.p, 1.0);
  const std::size_t present =
      std::ranges::count_if(std::array{closed_form, counted, low, high, p},
                            [](const auto& value) { return value.has_value(); });
  if (present == 0) return std::nullopt;
  if (present < 5)
    table.fail(row, names.closed_form, "all five columns of " + names.closed_form + " or none");
  if (*low > *high) table.fail(row, names.low, "at most " + names.high);
  return CountedMean{*closed_form, *counted, {*low, *high}, *p};
}

/// @param unit  of the mean @param mean  of a row, as std::optional<CountedMean>
/// @param put   gives a row the mean
template <typename Mean, typename Put>
std::vector<Column<AtlasRow>> mean_columns(const MeanNames& names, std::string_view unit, Mean mean,
                                           Put put) {
  const auto column = [mean, unit](const std::string& name, auto part, std::string_view meaning) {
    return Column<AtlasRow>{name, "–", meaning, [](const Table&, std::size_t, AtlasRow&) {},
                            [mean, part](const AtlasRow& row, CsvWriter& csv) {
                              const std::optional<CountedMean> value = mean(row);
                              csv.field(value ? std::optional<double>(part(*value)) : std::nullopt);
                            }};
  };
  std::vector<Column<AtlasRow>> columns{
      column(
          names.closed_form, [](const CountedMean& m) { return m.closed_form; },
          names.closed_form == "acceptance"
              ? "P(any of the drafts for the first place is kept), the drafts drawn from q; mean "
                "over the rows, in closed form"
              : "kept of the logged chain, and one; empty for rules that take trees"),
      column(
          names.counted, [](const CountedMean& m) { return m.counted; },
          "the same counted; `_low` and `_high` hold 95 % of the counts by their exact law"),
      column(
          names.low, [](const CountedMean& m) { return m.range.low; }, ""),
      column(
          names.high, [](const CountedMean& m) { return m.range.high; }, ""),
      column(
          names.p, [](const CountedMean& m) { return m.p; },
          "two-sided p of the count under its exact law (of coins Poisson-binomial)")};
  columns.back().values = "–";
  columns.front().read = [names, put](const Table& table, std::size_t place, AtlasRow& row) {
    put(table, place, row);
  };
  return columns;
}

std::vector<Column<AtlasRow>> acceptance_columns() {
  const MeanNames names("acceptance");
  return mean_columns(
      names, "–", [](const AtlasRow& row) { return std::optional(row.acceptance); },
      [names](const Table& table, std::size_t place, AtlasRow& row) {
        const auto mean = read_mean(table, place, names, 1.0);
        if (!mean) table.fail(place, names.closed_form, "missing");
        row.acceptance = *mean;
      });
}

std::vector<Column<AtlasRow>> token_columns() {
  constexpr double kMostTokensARound = 1e4;
  const MeanNames names("tokens_per_round");
  return mean_columns(
      names, "tokens", [](const AtlasRow& row) { return row.tokens_per_round; },
      [names](const Table& table, std::size_t place, AtlasRow& row) {
        row.tokens_per_round = read_mean(table, place, names, kMostTokensARound);
      });
}

}  // namespace

const Schema<AtlasRow>& atlas_table() {
  static const Schema<AtlasRow> table{
      "atlas.csv",
      "a verification rule over the drafts of a cell (kind `rule_atlas`, which writes this and the "
      "manifest only)",
      joined<AtlasRow>(
          {cell_columns<AtlasRow>(&AtlasRow::cell_id, &AtlasRow::category, &AtlasRow::axes),
           {{"rule", &AtlasRow::rule, Text{},
             "name of the verifier; `lenient` with lenience 0.8, `typical` with Medusa's "
             "thresholds"},
            {"drafts", &AtlasRow::drafts, Count{.least = 1}, "for one place: 1, or 2 siblings"},
            {"lossless", &AtlasRow::lossless, Flag{}, "0 if the rule changes the output law"},
            {"distance", &AtlasRow::distance, Number{.high = 1},
             "mean total variation between an emitted token's law and the target's, in closed "
             "form; 0 for lossless rules"},
            {"logged_drafts", &AtlasRow::logged_drafts, Count{.least = 1},
             "drafts logged; trials of each count, the same number a draft"},
            {"trials", &AtlasRow::trials, Count{.least = 1}, ""}},
           acceptance_columns(),
           token_columns()})};
  return table;
}

std::vector<AtlasRow> read_atlas(const std::string& path) {
  std::set<std::pair<std::string, std::string>> known;
  return atlas_table().read(path,
                            [&known](const Table& table, std::size_t place, const AtlasRow& row) {
                              if (!known.emplace(row.cell_id, row.rule).second)
                                table.fail(place, "rule", "occurs twice in its cell");
                              if (row.lossless && row.distance != 0.0)
                                table.fail(place, "distance", "not 0, of a rule that is lossless");
                            });
}

AtlasTest test_of(const std::vector<AtlasRow>& rows) {
  AtlasTest test;
  const auto add = [&](const CountedMean& mean) {
    test.smallest_p = std::min(test.smallest_p, mean.p);
    ++test.counts;
  };
  for (const AtlasRow& row : rows) {
    add(row.acceptance);
    if (row.tokens_per_round) add(*row.tokens_per_round);
  }
  return test;
}

}  // namespace speclab::analysis
