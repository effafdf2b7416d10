#pragma once
// A column of a table: its name, its values, its meaning, and the field of a row that holds it.

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/tables/csv_writer.h"
#include "analysis/tables/table.h"

namespace speclab::analysis {

/// Groups of columns that a file has beside those that every file of its kind has.
struct ColumnGroups {
  std::vector<std::string_view> present{};

  bool have(std::string_view group) const {
    return group.empty() || std::ranges::find(present, group) != present.end();
  }
};

/// The field of a row, also of a member of it. @param access  pointer to a member, or a function of
/// the row
template <typename Access, typename Row>
decltype(auto) field_of(const Access& access, Row& row) {
  return std::invoke(access, row);
}

/// A function that turns a member of a part into the access to a row's field. @param part  access
/// to the part
template <typename Part>
auto part_of(Part part) {
  return [part](auto member) {
    return [part, member](auto& row) -> auto& { return field_of(part, row).*member; };
  };
}

template <typename Row>
struct Column {
  using Read = std::function<void(const Table&, std::size_t, Row&)>;
  using Write = std::function<void(const Row&, CsvWriter&)>;

  std::string name;
  std::string_view values;   ///< unit or type, for pages
  std::string_view meaning;  ///< empty: that of the column before, which is described with it
  std::string_view group{};  ///< empty: every file has the column
  Read read{};               ///< empty: nothing reads the column
  Write write;

  /// @param access  to the field; a function that returns a value makes a column that is only
  /// written
  /// @param field   reads and writes the field's values (fields.h)
  template <typename Access, typename Field>
  Column(std::string column, Access access, Field field, std::string_view told,
         std::string_view of_group = "")
      : name(std::move(column)), values(field.values()), meaning(told), group(of_group) {
    using Result = std::invoke_result_t<const Access&, Row&>;
    if constexpr (std::is_lvalue_reference_v<Result> &&
                  !std::is_const_v<std::remove_reference_t<Result>>)
      read = [access, field, at = name](const Table& table, std::size_t row, Row& out) {
        field.read(table, row, at, field_of(access, out));
      };
    write = [access, field](const Row& row, CsvWriter& csv) {
      field.write(csv, field_of(access, row));
    };
  }
  /// Makes a column of a field that is spread over several ones.
  Column(std::string column, std::string_view unit, std::string_view told, Read reads, Write writes)
      : name(std::move(column)),
        values(unit),
        meaning(told),
        read(std::move(reads)),
        write(std::move(writes)) {}
};

/// One list of several.
template <typename Row>
std::vector<Column<Row>> joined(std::initializer_list<std::vector<Column<Row>>> parts) {
  std::vector<Column<Row>> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace speclab::analysis
