#pragma once
// Columns of a value with the ends of its interval: NAME, NAME_low, NAME_high.

#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/column.h"
#include "analysis/tables/estimate.h"
#include "analysis/tables/fields.h"

namespace speclab::analysis {

/// The ends of an interval; both are there, or neither.
/// @param access  to a std::optional<Interval>
/// @param ends    the numbers that they may be
template <typename Row, typename Access>
std::vector<Column<Row>> interval_columns(const std::string& name, Access access, Number ends,
                                          std::string_view meaning = "") {
  using MaybeInterval = std::optional<Interval>;
  const std::string low = name + "_low", high = name + "_high";
  return {{low, ends.unit, meaning,
           [=](const Table& table, std::size_t row, Row& out) {
             MaybeInterval& interval = field_of(access, out);
             const auto end = table.optional_number_from(ends.low, ends.high, row, low);
             if (end) interval.emplace().low = *end;
           },
           [=](const Row& row, CsvWriter& csv) {
             const MaybeInterval& interval = field_of(access, row);
             csv.field(interval ? std::optional(interval->low) : std::nullopt);
           }},
          {high, ends.unit, "",
           [=](const Table& table, std::size_t row, Row& out) {
             MaybeInterval& interval = field_of(access, out);
             const auto end = table.optional_number_from(ends.low, ends.high, row, high);
             if (end.has_value() != interval.has_value())
               table.fail(row, low, "both ends of the interval or none");
             if (!end) return;
             interval->high = *end;
             if (interval->low > interval->high)
               table.fail(row, low, fmt::format("must hold: {} <= {}", low, high));
           },
           [=](const Row& row, CsvWriter& csv) {
             const MaybeInterval& interval = field_of(access, row);
             csv.field(interval ? std::optional(interval->high) : std::nullopt);
           }}};
}

/// A value beside its interval. @param access  to an Estimate
template <typename Row, typename Access>
std::vector<Column<Row>> estimate_columns(const std::string& name, Access access, Number number,
                                          std::string_view meaning) {
  const auto value = [access](auto& row) -> auto& { return field_of(access, row).value; };
  const auto interval = [access](auto& row) -> auto& { return field_of(access, row).interval; };
  std::vector<Column<Row>> columns{{name, value, number, meaning}};
  for (auto& column : interval_columns<Row>(name, interval, number)) columns.push_back(column);
  return columns;
}

/// A value beside its interval, in a table that is only written.
/// @param access  to a std::optional<Estimate>, by value
template <typename Row, typename Access>
std::vector<Column<Row>> shown_estimate_columns(const std::string& name, Access access,
                                                std::string_view unit, std::string_view meaning) {
  const auto part = [access](auto choose) {
    return [access, choose](const Row& row) {
      const std::optional<Estimate> estimate = field_of(access, row);
      return estimate ? choose(*estimate) : std::optional<double>();
    };
  };
  const Number number{.unit = unit};
  return {{name, part([](const Estimate& e) { return std::optional(e.value); }), number, meaning},
          {name + "_low", part([](const Estimate& e) {
             return e.interval ? std::optional(e.interval->low) : std::nullopt;
           }),
           number, ""},
          {name + "_high", part([](const Estimate& e) {
             return e.interval ? std::optional(e.interval->high) : std::nullopt;
           }),
           number, ""}};
}

}  // namespace speclab::analysis
