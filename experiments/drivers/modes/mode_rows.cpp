#include "experiments/drivers/modes/mode_rows.h"

#include <array>
#include <limits>
#include <string_view>

#include "analysis/io/csv_writer.h"
#include "analysis/io/table.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::experiments {
namespace {

constexpr std::array<std::string_view, 16> kModeColumns{
    "model",       "case", "keys",    "mode",     "prompt",  "tokens",
    "steps",       "rows", "drafted", "accepted", "seconds", "predicted_seconds",
    "output_hash", "text", "machine", "revision"};

double seconds_at(const analysis::Table& table, std::size_t row, const char* column) {
  return table.number_from(std::numeric_limits<double>::min(), 1e9, row, column);
}

ModeRow mode_row_at(const analysis::Table& table, std::size_t row) {
  return {.model = table.text(row, "model"),
          .name = table.text(row, "case"),
          .keys = table.optional_text(row, "keys").value_or(""),
          .mode = table.text(row, "mode"),
          .prompt = table.text(row, "prompt"),
          .tokens = table.count(row, "tokens", 1),
          .steps = table.count(row, "steps", 1),
          .rows = table.count(row, "rows", 1),
          .drafted = table.count(row, "drafted"),
          .accepted = table.count(row, "accepted"),
          .seconds = seconds_at(table, row, "seconds"),
          .predicted_seconds = seconds_at(table, row, "predicted_seconds"),
          .output_hash = table.text(row, "output_hash"),
          .text = table.optional_text(row, "text").value_or(""),
          .machine = table.text(row, "machine"),
          .revision = table.text(row, "revision")};
}

}  // namespace

void write_mode_rows(std::span<const ModeRow> rows, const std::string& path) {
  analysis::CsvWriter csv(kModeColumns);
  for (const ModeRow& row : rows) {
    csv.field(row.model).field(row.name).field(row.keys).field(row.mode).field(row.prompt);
    for (const std::int64_t count : {row.tokens, row.steps, row.rows, row.drafted, row.accepted})
      csv.field(count);
    csv.field(row.seconds).field(row.predicted_seconds);
    csv.field(row.output_hash).field(row.text).field(row.machine).field(row.revision);
    csv.end_row();
  }
  write_file(path, std::move(csv).content());
}

std::vector<ModeRow> read_mode_rows(const std::string& path) {
  const analysis::Table table = analysis::Table::read(path);
  table.expect_columns(kModeColumns);
  std::vector<ModeRow> rows;
  for (std::size_t row = 0; row < table.size(); ++row) rows.push_back(mode_row_at(table, row));
  if (rows.empty()) throw DataError(path + ": no rows");
  return rows;
}

}  // namespace speclab::experiments
