#include "experiments/drivers/reproduce/tables/tables.h"

#include <algorithm>

namespace speclab::experiments {

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

}  // namespace speclab::experiments
