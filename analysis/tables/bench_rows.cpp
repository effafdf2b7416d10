#include "analysis/tables/bench_rows.h"

#include <fmt/format.h>

#include <map>

#include "analysis/tables/fields.h"

namespace speclab::analysis {
namespace {

constexpr Number kCallNs{.low = kAboveZero, .high = 1e15, .unit = "ns"};
constexpr Number kInstructions{.low = kAboveZero, .high = 1e15};

/// The side that ran first, as `base` or `head`.
Column<BenchPairRow> first_column() {
  return {
      "first", "text", "the side that ran first, `base` or `head`",
      [](const Table& table, std::size_t place, BenchPairRow& row) {
        std::string first;
        Text{{"base", "head"}}.read(table, place, "first", first);
        row.base_first = first == "base";
      },
      [](const BenchPairRow& row, CsvWriter& csv) { csv.field(row.base_first ? "base" : "head"); }};
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
std::vector<Row> read_following(const Schema<Row>& schema, const std::string& path) {
  std::map<std::string, Row> last;
  return schema.read(path, [&last](const Table& table, std::size_t place, const Row& row) {
    const auto before = last.find(row.benchmark);
    check_follows(table, place, row, before == last.end() ? nullptr : &before->second);
    last.insert_or_assign(row.benchmark, row);
  });
}

}  // namespace

const Schema<BenchPairRow>& bench_pairs_table() {
  using P = BenchPairRow;
  static const Schema<P> table{
      "pairs.csv", "a benchmark in one process of each side, run one after the other",
      joined<P>({{{"benchmark", &P::benchmark, Text{}, "family/what"},
                  {"pair", &P::pair, Count{},
                   "number of the pair of processes, in the order of measuring; 2 where the first "
                   "look left the benchmark unclear"},
                  {"look", &P::look, Count{.least = 1, .most = 2}, ""},
                  first_column(),
                  {"base_ns", &P::base_ns, kCallNs,
                   "processor time of a call, the least of a process's repetitions"},
                  {"head_ns", &P::head_ns, kCallNs, ""},
                  {"base_wall_ns", &P::base_wall_ns, kCallNs, "the same on the wall; not judged"},
                  {"head_wall_ns", &P::head_wall_ns, kCallNs, ""},
                  {"base_checksum", &P::base_checksum, Count{},
                   "32 bits of what a call works out: the work is the same where they are"},
                  {"head_checksum", &P::head_checksum, Count{}, ""}}})};
  return table;
}

const Schema<BenchCountRow>& bench_counts_table() {
  using C = BenchCountRow;
  static const Schema<C> table{
      "counts.csv",
      "instructions of a benchmark, in one run of each side",
      {{"benchmark", &C::benchmark, Text{}, "of each side two runs"},
       {"counter", &C::counter, Text{},
        "`perf` or `callgrind`; what the binaries were built for, `x86-64-v3` for revisions"},
       {"instruction_set", &C::instruction_set, Text{}, ""},
       {"run", &C::run, Count{}, "0 for the first one"},
       {"base_instructions", &C::base_instructions, kInstructions, "of 20 calls, in user mode"},
       {"head_instructions", &C::head_instructions, kInstructions, ""},
       {"base_checksum", &C::base_checksum, Count{}, "as in `pairs.csv`"},
       {"head_checksum", &C::head_checksum, Count{}, ""}}};
  return table;
}

std::vector<BenchPairRow> read_bench_pairs(const std::string& path) {
  return read_following(bench_pairs_table(), path);
}

std::vector<BenchCountRow> read_bench_counts(const std::string& path) {
  return read_following(bench_counts_table(), path);
}

}  // namespace speclab::analysis
