#include "experiments/drivers/reproduce/tables/tables.h"

#include <algorithm>

#include "sim/analytic/tree_families.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kExampleRanks = 5;

double ours_of(const analysis::Table& table, std::size_t row) {
  const std::string quantity = table.text(row, "quantity");
  const auto integer = [&](const char* column) { return small_count(table, row, column, 1); };
  const auto ranks = [&] { return number_list(table, row, "rank_acceptance"); };
  if (quantity == "k_ary_tokens_per_round")
    return sim::k_ary_tokens_per_round(ranks(), integer("width"), integer("depth"));
  if (quantity == "k_ary_nodes") return sim::k_ary_nodes(integer("width"), integer("depth"));
  if (quantity == "independent_chains_tokens_per_round")
    return sim::independent_chains_tokens_per_round(ranks(), integer("chains"), integer("depth"));
  if (quantity == "independent_chains_limit")
    return sim::independent_chains_limit(ranks(), integer("chains"));
  if (quantity == "expansion_tokens_per_round")
    return sim::expansion_tokens_per_round(ranks(), integer_list(table, row, "expansion"));
  if (quantity == "expansion_nodes")
    return sim::expansion_nodes(integer_list(table, row, "expansion"));
  table.fail(row, "quantity", "'" + escaped(quantity) + "' is no formula of trees");
}

std::string setting_of(const analysis::Table& table, std::size_t row) {
  const char* columns[] = {"rank_acceptance", "expansion", "width", "depth", "chains"};
  return setting_in(table, row, columns);
}

}  // namespace

void add_values(const analysis::Table& table,
                std::string (*setting_of)(const analysis::Table&, std::size_t),
                double (*ours_of)(const analysis::Table&, std::size_t), Reproduction& result) {
  for (std::size_t row = 0; row < table.size(); ++row)
    result.rows.push_back(compare(table, row, "value",
                                  {.setting = setting_of(table, row),
                                   .quantity = table.text(row, "quantity"),
                                   .ours = ours_of(table, row)}));
}

std::string setting_in(const analysis::Table& table, std::size_t row,
                       std::span<const char* const> columns) {
  std::string setting;
  for (const char* column : columns)
    if (const auto text = table.optional_text(row, column))
      setting += (setting.empty() ? "" : ";") + std::string(column) + "=" + *text;
  return setting;
}

analysis::Point vertex(double x, double y) {
  return {.x = x, .y = y, .mark = analysis::Mark::none};
}

analysis::Point paper_point(double x, double y) {
  return {.x = x, .y = y, .mark = analysis::Mark::hollow};
}

analysis::Series curve(std::string name, std::size_t colour, std::vector<analysis::Point> points) {
  std::ranges::stable_sort(points, {}, &analysis::Point::x);
  return {.name = std::move(name), .colour = colour, .points = std::move(points)};
}

analysis::Axis axis(std::string label, double low, double high) {
  return {.label = std::move(label), .range = analysis::Interval{low, high}};
}

std::vector<double> steps(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i <= count; ++i) values.push_back(low + (high - low) * i / count);
  return values;
}

std::vector<double> specinfer_ranks(const Papers& papers, const std::string& decoding,
                                    const std::string& dataset) {
  const analysis::Table table = papers.table("specinfer_table1.csv");
  std::vector<double> ranks;
  double before = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!is(table, row, "decoding", decoding) || !is(table, row, "dataset", dataset)) continue;
    if (table.count(row, "top_k") != static_cast<std::int64_t>(ranks.size()) + 1)
      table.fail(row, "top_k", "ranks stand in order, from 1");
    const double percent = table.number_from(before, 100, row, "success_rate_percent");
    ranks.push_back((percent - before) / 100);
    before = percent;
  }
  if (ranks.size() != kExampleRanks)
    throw DataError("specinfer_table1.csv: " + decoding + ", " + dataset + ": " +
                    std::to_string(ranks.size()) + " ranks, expected 5; restore the file");
  return ranks;
}

void add_tree_examples(const Papers& papers, const std::string& source, Reproduction& result) {
  const analysis::Table table = papers.table("tree_examples.csv");
  for (std::size_t row = 0; row < table.size(); ++row)
    if (is(table, row, "source", source))
      result.rows.push_back(compare(table, row, "value",
                                    {.setting = setting_of(table, row),
                                     .quantity = table.text(row, "quantity"),
                                     .ours = ours_of(table, row)}));
}

}  // namespace speclab::experiments
