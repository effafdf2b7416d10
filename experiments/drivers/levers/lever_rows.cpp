#include "experiments/drivers/levers/lever_rows.h"

#include <array>
#include <limits>
#include <string_view>

#include "analysis/tables/csv_writer.h"
#include "analysis/tables/table.h"
#include "experiments/drivers/papers/papers.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

constexpr std::array<std::string_view, 22> kColumns{"model",
                                                    "lever",
                                                    "arithmetic",
                                                    "kernels",
                                                    "batch",
                                                    "draft_length",
                                                    "units",
                                                    "tokens",
                                                    "tokens_per_s",
                                                    "tokens_per_s_low",
                                                    "tokens_per_s_high",
                                                    "predicted_tokens_per_s",
                                                    "tokens_per_round",
                                                    "speedup",
                                                    "speedup_low",
                                                    "speedup_high",
                                                    "batch_gain",
                                                    "weight_bytes",
                                                    "streamed_bytes",
                                                    "source_bytes_per_s",
                                                    "machine",
                                                    "revision"};

double positive(const analysis::Table& table, std::size_t row, const char* column) {
  return table.number_from(std::numeric_limits<double>::min(), 1e18, row, column);
}

using MaybeInterval = std::optional<analysis::Interval>;

MaybeInterval interval_at(const analysis::Table& table, std::size_t row, const std::string& name) {
  const auto low = table.optional_number(row, name + "_low"),
             high = table.optional_number(row, name + "_high");
  if (!low || !high) return std::nullopt;
  return analysis::Interval{*low, *high};
}

void add_interval(analysis::CsvWriter& csv, const MaybeInterval& interval) {
  csv.field(interval ? std::optional(interval->low) : std::nullopt);
  csv.field(interval ? std::optional(interval->high) : std::nullopt);
}

LeverRow row_at(const analysis::Table& table, std::size_t row) {
  return {.model = table.text(row, "model"),
          .lever = table.text(row, "lever"),
          .arithmetic = table.text(row, "arithmetic"),
          .kernels = table.text(row, "kernels"),
          .batch = small_count(table, row, "batch", 1),
          .draft_length = small_count(table, row, "draft_length"),
          .units = small_count(table, row, "units", 1),
          .tokens = table.count(row, "tokens", 1),
          .tokens_per_s = positive(table, row, "tokens_per_s"),
          .interval = interval_at(table, row, "tokens_per_s"),
          .predicted_tokens_per_s = positive(table, row, "predicted_tokens_per_s"),
          .tokens_per_round = positive(table, row, "tokens_per_round"),
          .speedup = table.optional_number(row, "speedup"),
          .speedup_interval = interval_at(table, row, "speedup"),
          .batch_gain = table.optional_number(row, "batch_gain"),
          .weight_bytes = table.count(row, "weight_bytes"),
          .streamed_bytes = table.count(row, "streamed_bytes"),
          .source_bytes_per_s = positive(table, row, "source_bytes_per_s"),
          .machine = table.text(row, "machine"),
          .revision = table.text(row, "revision")};
}

}  // namespace

std::span<const Lever> levers() {
  static constexpr Lever kLevers[] = {{"bfloat16", "bfloat16", "exact", false, true},
                                      {"int8", "q8", "int8", false, true},
                                      {"4-bit", "file", "int8", false, true},
                                      {"4-bit exact", "file", "exact", false, false},
                                      {"streamed", "file", "exact", true, true}};
  return kLevers;
}

void write_lever_rows(std::span<const LeverRow> rows, const std::string& path) {
  analysis::CsvWriter csv(kColumns);
  for (const LeverRow& row : rows) {
    csv.field(row.model).field(row.lever).field(row.arithmetic).field(row.kernels);
    csv.field(std::int64_t{row.batch}).field(std::int64_t{row.draft_length});
    csv.field(std::int64_t{row.units}).field(row.tokens).field(row.tokens_per_s);
    add_interval(csv, row.interval);
    csv.field(row.predicted_tokens_per_s).field(row.tokens_per_round).field(row.speedup);
    add_interval(csv, row.speedup_interval);
    csv.field(row.batch_gain)
        .field(row.weight_bytes)
        .field(row.streamed_bytes)
        .field(row.source_bytes_per_s);
    csv.field(row.machine).field(row.revision);
    csv.end_row();
  }
  write_file(path, csv.content());
}

void write_step_rows(std::span<const StepRow> rows, const std::string& path) {
  static constexpr std::array<std::string_view, 8> kStepColumns{
      "model",        "lever",         "rows",         "repetitions",
      "milliseconds", "over_bfloat16", "over_one_row", "over_floor"};
  analysis::CsvWriter csv(kStepColumns);
  for (const StepRow& row : rows) {
    csv.field(row.model).field(row.lever);
    csv.field(std::int64_t{row.rows}).field(std::int64_t{row.repetitions});
    csv.field(row.milliseconds).field(row.over_bfloat16);
    csv.field(row.over_one_row).field(row.over_floor);
    csv.end_row();
  }
  write_file(path, csv.content());
}

std::vector<LeverRow> read_lever_rows(const std::string& path) {
  const analysis::Table table = analysis::Table::read(path);
  table.expect_columns(kColumns);
  std::vector<LeverRow> rows;
  for (std::size_t row = 0; row < table.size(); ++row) rows.push_back(row_at(table, row));
  return rows;
}

}  // namespace speclab::experiments
