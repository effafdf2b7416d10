#include "experiments/drivers/modes/mode_rows.h"

#include <array>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "analysis/tables/csv_writer.h"
#include "analysis/tables/table.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

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

/// @throws DataError for counts that no decoding has
void check_counts(const analysis::Table& table, std::size_t place, const ModeRow& row) {
  if (row.accepted > row.drafted) table.fail(place, "accepted", "more steps than were drafted");
  if (row.rows < row.steps) table.fail(place, "rows", "fewer rows than forwards");
  if (row.tokens > row.steps + row.accepted + 1)
    table.fail(place, "tokens", "more tokens than forwards and accepted drafts make");
}

/// All rows are of one measurement, and a case has each prompt once, with the same keys.
void check_consistent(const analysis::Table& table, const std::vector<ModeRow>& rows) {
  std::set<std::pair<std::string, std::string>> seen;
  std::map<std::string, const ModeRow*> cases;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ModeRow &row = rows[i], &first = rows.front();
    if (row.model != first.model) table.fail(i, "model", "another model than in the first row");
    if (row.machine != first.machine)
      table.fail(i, "machine", "another machine than in the first row");
    if (row.revision != first.revision)
      table.fail(i, "revision", "another revision than in the first row");
    if (!seen.emplace(row.name, row.prompt).second)
      table.fail(i, "prompt", "a prompt that its case has already");
    const ModeRow& of_case = *cases.emplace(row.name, &row).first->second;
    if (row.keys != of_case.keys) table.fail(i, "keys", "other keys than in its case before");
    if (row.mode != of_case.mode) table.fail(i, "mode", "another mode than in its case before");
  }
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
  for (std::size_t row = 0; row < rows.size(); ++row) check_counts(table, row, rows[row]);
  check_consistent(table, rows);
  return rows;
}

}  // namespace speclab::experiments
