#include "analysis/gate/time_gate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// Rows by benchmark, in the order in which benchmarks first stand.
template <typename Row>
std::vector<std::pair<std::string, std::vector<Row>>> by_benchmark(std::span<const Row> rows) {
  std::vector<std::pair<std::string, std::vector<Row>>> groups;
  std::map<std::string, std::size_t> places;
  for (const Row& row : rows) {
    const auto [place, is_new] = places.try_emplace(row.benchmark, groups.size());
    if (is_new) groups.push_back({row.benchmark, {}});
    groups[place->second].second.push_back(row);
  }
  return groups;
}

/// Why the sides did not do the same work; empty if they did.
template <typename Row>
std::string work_difference(const std::vector<Row>& rows) {
  std::set<std::int64_t> base, head;
  for (const Row& row : rows) base.insert(row.base_checksum), head.insert(row.head_checksum);
  if (base.size() > 1 || head.size() > 1)
    return std::string(base.size() > 1 ? "the base" : "the head") +
           " worked out different things in two processes";
  return base == head ? "" : "the head works out something else than the base";
}

TimedBenchmark timed(const std::string& name, const std::vector<BenchPairRow>& rows) {
  TimedBenchmark benchmark{name, {}};
  for (const std::int64_t look : {1, 2})
    for (const BenchPairRow& row : rows)
      if (row.look == look) benchmark.pairs.push_back({row.base_ns, row.head_ns});
  return benchmark;
}

int pairs_of_first_look(std::span<const BenchPairRow> rows) {
  std::set<std::int64_t> pairs;
  for (const BenchPairRow& row : rows)
    if (row.look == 1) pairs.insert(row.pair);
  return static_cast<int>(std::min<std::size_t>(pairs.size(), std::numeric_limits<int>::max()));
}

struct CountRange {
  double least = std::numeric_limits<double>::infinity(), most = 0.0;

  void add(double count) { least = std::min(least, count), most = std::max(most, count); }
  bool is_steady() const { return most <= least * (1.0 + kCountSpread); }
};

GateVerdict verdict_of_counts(double ratio) {
  if (ratio > 1.0 + kCountTolerance) return GateVerdict::slow;
  return ratio < 1.0 / (1.0 + kCountTolerance) ? GateVerdict::fast : GateVerdict::same;
}

GateLine count_line(const std::string& name, const std::vector<BenchCountRow>& rows) {
  CountRange base, head;
  for (const BenchCountRow& row : rows)
    base.add(row.base_instructions), head.add(row.head_instructions);
  GateLine line{.benchmark = name,
                .measure = rows.front().counter,
                .ratio = head.least / base.least,
                .reason = work_difference(rows)};
  if (line.reason.empty() && !(base.is_steady() && head.is_steady()))
    line.reason = "runs of the same binary differ by more than 0.01 %";
  if (line.reason.empty()) line.verdict = verdict_of_counts(line.ratio);
  return line;
}

}  // namespace

std::vector<GateLine> judge_times(std::span<const BenchPairRow> rows, PairGateOptions options) {
  options.pairs = pairs_of_first_look(rows);
  std::vector<GateLine> lines;
  std::vector<TimedBenchmark> family;
  for (const auto& [name, of_benchmark] : by_benchmark(rows)) {
    lines.push_back(
        {.benchmark = name, .measure = "time", .reason = work_difference(of_benchmark)});
    if (lines.back().reason.empty()) family.push_back(timed(name, of_benchmark));
  }
  if (family.empty()) return lines;
  std::map<std::string, PairGateRow> judged;
  for (PairGateRow& row : judge_pairs(family, options)) judged[row.benchmark] = std::move(row);
  for (GateLine& line : lines)
    if (line.reason.empty())
      line.pairs = judged.at(line.benchmark), line.verdict = line.pairs.verdict,
      line.ratio = line.pairs.ratio;
  return lines;
}

std::vector<GateLine> judge_counts(std::span<const BenchCountRow> rows) {
  std::vector<GateLine> lines;
  for (const auto& [name, of_benchmark] : by_benchmark(rows))
    lines.push_back(count_line(name, of_benchmark));
  return lines;
}

GateVerdict verdict_of(std::span<const GateLine> lines) {
  std::vector<GateVerdict> verdicts;
  for (const GateLine& line : lines) verdicts.push_back(line.verdict);
  return worst(verdicts);
}

}  // namespace speclab::analysis
