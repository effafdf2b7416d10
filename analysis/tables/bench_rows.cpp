#include "analysis/tables/bench_rows.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>

#include "analysis/tables/csv_writer.h"
#include "analysis/tables/table.h"

namespace speclab::analysis {
namespace {

constexpr std::array<std::string_view, 10> kPairColumns = {
    "benchmark", "pair",         "look",         "first",         "base_ns",
    "head_ns",   "base_wall_ns", "head_wall_ns", "base_checksum", "head_checksum"};
constexpr std::array<std::string_view, 8> kCountColumns = {
    "benchmark",         "counter",           "instruction_set", "run",
    "base_instructions", "head_instructions", "base_checksum",   "head_checksum"};
constexpr double kMostNs = 1e15, kMostInstructions = 1e15;

double positive(const Table& table, std::size_t row, std::string_view column, double most) {
  const double value = table.number_from(0.0, most, row, column);
  if (value <= 0.0) table.fail(row, column, "0; allowed: numbers above 0");
  return value;
}

bool base_first(const Table& table, std::size_t row) {
  const std::string first = table.text(row, "first");
  if (first != "base" && first != "head") table.fail(row, "first", "allowed: base, head");
  return first == "base";
}

BenchPairRow pair_row(const Table& table, std::size_t row) {
  const auto ns = [&](std::string_view column) { return positive(table, row, column, kMostNs); };
  const std::int64_t look = table.count(row, "look", 1);
  if (look > 2) table.fail(row, "look", "allowed: 1, 2");
  return {.benchmark = table.text(row, "benchmark"),
          .pair = table.count(row, "pair"),
          .look = look,
          .base_first = base_first(table, row),
          .base_ns = ns("base_ns"),
          .head_ns = ns("head_ns"),
          .base_wall_ns = ns("base_wall_ns"),
          .head_wall_ns = ns("head_wall_ns"),
          .base_checksum = table.count(row, "base_checksum"),
          .head_checksum = table.count(row, "head_checksum")};
}

BenchCountRow count_row(const Table& table, std::size_t row) {
  const auto instructions = [&](std::string_view column) {
    return positive(table, row, column, kMostInstructions);
  };
  return {.benchmark = table.text(row, "benchmark"),
          .counter = table.text(row, "counter"),
          .instruction_set = table.text(row, "instruction_set"),
          .run = table.count(row, "run"),
          .base_instructions = instructions("base_instructions"),
          .head_instructions = instructions("head_instructions"),
          .base_checksum = table.count(row, "base_checksum"),
          .head_checksum = table.count(row, "head_checksum")};
}

/// `value` is `next`, the number after that of the benchmark's row before.
void expect_next(const Table& table, std::size_t row, std::string_view column, std::int64_t value,
                 std::int64_t next) {
  if (value != next)
    table.fail(row, column, fmt::format("{}; allowed: {}, the next of its benchmark", value, next));
}

/// @param before  the row of the same benchmark before it; nullptr if it is the first
void check_follows(const Table& table, std::size_t row, const BenchPairRow& next,
                   const BenchPairRow* before) {
  expect_next(table, row, "pair", next.pair, before == nullptr ? 0 : before->pair + 1);
  if (next.pair >= kMostBenchPairs)
    table.fail(row, "pair", fmt::format("allowed: at most {} of a benchmark", kMostBenchPairs));
  if (next.look < (before == nullptr ? 1 : before->look)) table.fail(row, "look", "1 behind 2");
}

void check_follows(const Table& table, std::size_t row, const BenchCountRow& next,
                   const BenchCountRow* before) {
  expect_next(table, row, "run", next.run, before == nullptr ? 0 : before->run + 1);
  if (before == nullptr) return;
  if (next.counter != before->counter)
    table.fail(row, "counter", "not that of the benchmark's run before");
  if (next.instruction_set != before->instruction_set)
    table.fail(row, "instruction_set", "not that of the benchmark's run before");
}

template <typename Row>
std::vector<Row> read_rows(const std::string& path, std::span<const std::string_view> columns,
                           Row (*read_row)(const Table&, std::size_t)) {
  const Table table = Table::read(path);
  table.expect_columns(columns);
  std::vector<Row> rows;
  std::map<std::string, std::size_t> last;
  for (std::size_t row = 0; row < table.size(); ++row) {
    rows.push_back(read_row(table, row));
    const auto [place, is_first] = last.try_emplace(rows.back().benchmark, row);
    check_follows(table, row, rows.back(), is_first ? nullptr : &rows[place->second]);
    place->second = row;
  }
  return rows;
}

}  // namespace

std::string to_csv(std::span<const BenchPairRow> rows) {
  CsvWriter csv(kPairColumns);
  for (const BenchPairRow& row : rows) {
    csv.field(row.benchmark)
        .field(row.pair)
        .field(row.look)
        .field(row.base_first ? "base" : "head")
        .field(row.base_ns)
        .field(row.head_ns);
    csv.field(row.base_wall_ns)
        .field(row.head_wall_ns)
        .field(row.base_checksum)
        .field(row.head_checksum)
        .end_row();
  }
  return csv.content();
}

std::string to_csv(std::span<const BenchCountRow> rows) {
  CsvWriter csv(kCountColumns);
  for (const BenchCountRow& row : rows) {
    csv.field(row.benchmark)
        .field(row.counter)
        .field(row.instruction_set)
        .field(row.run)
        .field(row.base_instructions)
        .field(row.head_instructions);
    csv.field(row.base_checksum).field(row.head_checksum).end_row();
  }
  return csv.content();
}

std::vector<BenchPairRow> read_bench_pairs(const std::string& path) {
  return read_rows(path, kPairColumns, pair_row);
}

std::vector<BenchCountRow> read_bench_counts(const std::string& path) {
  return read_rows(path, kCountColumns, count_row);
}

}  // namespace speclab::analysis
