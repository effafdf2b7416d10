#pragma once
// Values that columns hold: how each is read, checked and written.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tables/csv_writer.h"
#include "analysis/tables/table.h"
#include "sim/system/errors.h"

namespace speclab::analysis {

/// A text that must be there; with `allowed` one of these.
struct Text {
  std::vector<std::string_view> allowed{};
  std::string_view unit = "text";

  std::string_view values() const { return unit; }
  void read(const Table& table, std::size_t row, const std::string& column,
            std::string& out) const {
    out = table.text(row, column);
    if (!allowed.empty() && std::ranges::find(allowed, out) == allowed.end())
      table.fail(row, column,
                 fmt::format("'{}'; allowed: {}", escaped(out), fmt::join(allowed, ", ")));
  }
  void write(CsvWriter& csv, std::string_view value) const { csv.field(value); }
};

/// A text that does not always apply: empty is a missing field.
struct MaybeText {
  std::string_view values() const { return "text"; }
  void read(const Table& table, std::size_t row, const std::string& column,
            std::string& out) const {
    out = table.optional_text(row, column).value_or("");
  }
  void write(CsvWriter& csv, const std::string& value) const {
    value.empty() ? csv.missing() : csv.field(value);
  }
};

/// An integer from `least` to `most`.
struct Count {
  std::int64_t least = 0;
  std::int64_t most = std::int64_t{1} << 53;
  std::string_view unit = "integer";

  std::string_view values() const { return unit; }
  template <typename Integer>
  void read(const Table& table, std::size_t row, const std::string& column, Integer& out) const {
    const std::int64_t value = table.count(row, column, least);
    if (value > most) table.fail(row, column, fmt::format("{}; allowed: at most {}", value, most));
    out = static_cast<Integer>(value);
  }
  template <typename Integer>
  void write(CsvWriter& csv, Integer value) const {
    csv.field(static_cast<std::int64_t>(value));
  }
};

/// An integer that may be missing.
struct MaybeCount {
  std::int64_t least = 0;
  std::int64_t most = std::int64_t{1} << 53;
  std::string_view unit = "integer";

  std::string_view values() const { return unit; }
  void read(const Table& table, std::size_t row, const std::string& column,
            std::optional<std::int64_t>& out) const {
    out = table.optional_integer(row, column);
    if (out && (*out < least || *out > most))
      table.fail(row, column,
                 fmt::format("{}; allowed: integers from {} to {}", *out, least, most));
  }
  void write(CsvWriter& csv, const std::optional<std::int64_t>& value) const {
    value ? csv.field(*value) : csv.missing();
  }
};

/// A number from `low` to `high`, ends included.
struct Number {
  double low = 0;
  double high = std::numeric_limits<double>::max();
  std::string_view unit = "–";

  std::string_view values() const { return unit; }
  void read(const Table& table, std::size_t row, const std::string& column, double& out) const {
    out = table.number_from(low, high, row, column);
  }
  void read(const Table& table, std::size_t row, const std::string& column,
            std::optional<double>& out) const {
    out = table.optional_number_from(low, high, row, column);
  }
  /// A missing value is an empty field.
  void write(CsvWriter& csv, const std::optional<double>& value) const { csv.field(value); }
};

/// Any finite number.
inline constexpr Number kAnyNumber{.low = std::numeric_limits<double>::lowest()};

/// A sum that is part of another one; sums made in two orders may differ by 1e-9 of it.
inline void check_part(const Table& table, std::size_t row, std::string_view column, double part,
                       double whole) {
  if (part > whole * (1 + 1e-9))
    table.fail(row, column, fmt::format("{}; allowed: numbers from 0 to {}", part, whole));
}

struct Flag {
  std::string_view values() const { return "0 or 1"; }
  void read(const Table& table, std::size_t row, const std::string& column, bool& out) const {
    out = table.flag(row, column);
  }
  void write(CsvWriter& csv, bool value) const { csv.field(std::int64_t{value}); }
};

/// One of some enumerators by its name, as to_string gives it.
template <typename Enum>
struct OneOf {
  std::vector<Enum> all;

  std::string_view values() const { return "text"; }
  void read(const Table& table, std::size_t row, const std::string& column, Enum& out) const {
    const std::string name = table.text(row, column);
    std::vector<std::string> allowed;
    for (const Enum value : all) {
      if (name == to_string(value)) {
        out = value;
        return;
      }
      allowed.emplace_back(to_string(value));
    }
    table.fail(row, column,
               fmt::format("'{}'; allowed: {}", escaped(name), fmt::join(allowed, ", ")));
  }
  void read(const Table& table, std::size_t row, const std::string& column,
            std::optional<Enum>& out) const {
    if (table.optional_text(row, column)) read(table, row, column, out.emplace());
  }
  void write(CsvWriter& csv, const std::optional<Enum>& value) const {
    value ? csv.field(to_string(*value)) : csv.missing();
  }
};

}  // namespace speclab::analysis
