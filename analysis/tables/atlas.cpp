#include "analysis/tables/atlas.h"

#include <algorithm>
#include <set>

#include "analysis/tables/read_axes.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

constexpr double kMostTokensARound = 1e4;

/// The five columns of a counted mean. @param most  that it can be
std::optional<CountedMean> read_mean(const Table& table, std::size_t row, const std::string& name,
                                     double most) {
  const auto number = [&](const std::string& column, double high) {
    return table.optional_number_from(0, high, row, column);
  };
  const auto closed_form = number(name, most), counted = number("counted_" + name, most),
             low = number("counted_" + name + "_low", most),
             high = number("counted_" + name + "_high", most), p = number(name + "_p", 1.0);
  const std::size_t present =
      std::ranges::count_if(std::array{closed_form, counted, low, high, p},
                            [](const auto& value) { return value.has_value(); });
  if (present == 0) return std::nullopt;
  if (present < 5) table.fail(row, name, "all five columns of " + name + " or none");
  if (*low > *high)
    table.fail(row, "counted_" + name + "_low", "at most counted_" + name + "_high");
  return CountedMean{*closed_form, *counted, {*low, *high}, *p};
}

AtlasRow read_atlas_row(const Table& table, std::size_t row) {
  if (table.flag(row, "lossless") && table.number(row, "distance") != 0.0)
    table.fail(row, "distance", "not 0, of a rule that is lossless");
  const auto acceptance = read_mean(table, row, "acceptance", 1.0);
  if (!acceptance) table.fail(row, "acceptance", "missing");
  return {.category = table.text(row, "category"),
          .axes = read_axes(table, row),
          .rule = table.text(row, "rule"),
          .drafts = table.count(row, "drafts", 1),
          .lossless = table.flag(row, "lossless"),
          .distance = table.number_from(0, 1, row, "distance"),
          .logged_drafts = table.count(row, "logged_drafts", 1),
          .trials = table.count(row, "trials", 1),
          .acceptance = *acceptance,
          .tokens_per_round = read_mean(table, row, "tokens_per_round", kMostTokensARound)};
}

}  // namespace

std::vector<AtlasRow> read_atlas(const std::string& path) {
  const Table table = Table::read(path);
  table.expect_columns(kAtlasColumns);
  std::vector<AtlasRow> rows;
  std::set<std::pair<std::string, std::string>> known;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!known.emplace(table.text(row, "cell_id"), table.text(row, "rule")).second)
      table.fail(row, "rule", "occurs twice in its cell");
    rows.push_back(read_atlas_row(table, row));
  }
  return rows;
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
