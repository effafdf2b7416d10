#pragma once
// The papers' numbers, as experiments/papers holds them.

#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/table.h"
#include "experiments/drivers/papers/comparison.h"

namespace speclab::experiments {

/// Where the files are read from.
class Papers {
 public:
  /// @param folder  of CSV files; those compiled in where not given
  explicit Papers(std::optional<std::string> folder = std::nullopt) : folder_(std::move(folder)) {}

  /// @param file  "leviathan_table1.csv" @throws DataError if it is not there, no table, or lacks
  /// columns or rows of the compiled one
  analysis::Table table(const std::string& file) const;
  /// The slips of one experiment.
  std::vector<Slip> slips(const std::string& experiment) const;

 private:
  std::optional<std::string> folder_;
};

/// A row of a paper's table beside ours: value, origin, tolerance, source and locator are read from
/// it.
/// @param value_column  the column that holds the paper's value
Comparison compare(const analysis::Table& table, std::size_t row, const std::string& value_column,
                   Comparison ours);

/// The row of a paper's table that has the quantity of ours, beside it. @throws DataError if there
/// is not exactly one
Comparison compare(const analysis::Table& table, Comparison ours);

/// "0.57|0.27|0.08". @throws DataError naming the place if an entry is not a finite number
std::vector<double> number_list(const analysis::Table& table, std::size_t row,
                                const std::string& column);
std::vector<int> integer_list(const analysis::Table& table, std::size_t row,
                              const std::string& column);

/// Counts, lengths and sizes of a paper's table. @throws DataError naming the place unless `least`
/// to 1e6
int small_count(const analysis::Table& table, std::size_t row, const std::string& column,
                int least = 0);

/// The value of the row whose column `key_column` holds `key`. @throws DataError if there is not
/// exactly one
double value_of(const analysis::Table& table, const std::string& key_column, const std::string& key,
                const std::string& value_column = "value");

/// Whether the rows's field of that column is this text.
bool is(const analysis::Table& table, std::size_t row, const std::string& column,
        const std::string& text);

}  // namespace speclab::experiments
