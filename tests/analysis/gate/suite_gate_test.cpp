#include "analysis/gate/time_gate.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

using enum GateVerdict;

std::vector<BenchPairRow> pair_rows(const std::string& name, double ratio, int pairs = 20) {
  std::vector<BenchPairRow> rows;
  for (int i = 0; i < pairs; ++i)
    rows.push_back({.benchmark = name,
                    .pair = i,
                    .base_ns = 100.0 + i,
                    .head_ns = (100.0 + i) * ratio,
                    .base_wall_ns = 1,
                    .head_wall_ns = 1,
                    .base_checksum = 7,
                    .head_checksum = 7});
  return rows;
}

std::vector<BenchCountRow> count_rows(double base, double head, double spread = 0.0) {
  return {{"a", "callgrind", "x86-64-v3", 0, base, head, 7, 7},
          {"a", "callgrind", "x86-64-v3", 1, base * (1.0 + spread), head, 7, 7}};
}

GateVerdict count_verdict(const std::vector<BenchCountRow>& rows) {
  return judge_counts(rows).front().verdict;
}

TEST(SuiteGate, JudgesEachBenchmarkAndTheWorstOfThem) {
  auto rows = pair_rows("f/a", 1.0);
  const auto slower = pair_rows("f/b", 1.1);
  rows.insert(rows.end(), slower.begin(), slower.end());
  const auto lines = judge_times(rows, {});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].verdict, same);
  EXPECT_EQ(lines[1].verdict, slow);
  EXPECT_NEAR(lines[1].ratio, 1.1, 1e-12);
  EXPECT_EQ(verdict_of(lines), slow);
}

TEST(SuiteGate, DoesNotCompareWhatDidOtherWork) {
  auto rows = pair_rows("f/a", 1.1);
  for (BenchPairRow& row : rows) row.head_checksum = 8;
  EXPECT_EQ(judge_times(rows, {}).front().verdict, invalid);
  rows = pair_rows("f/a", 1.1);
  rows[3].base_checksum = rows[3].head_checksum = 9;
  EXPECT_EQ(judge_times(rows, {}).front().verdict, invalid) << "one side, two results";
  auto counts = count_rows(1000, 1000);
  counts[0].head_checksum = counts[1].head_checksum = 8;
  EXPECT_EQ(count_verdict(counts), invalid);
}

TEST(SuiteGate, GatesCountsAtOnePercent) {
  EXPECT_EQ(count_verdict(count_rows(100'000, 101'000)), same);
  EXPECT_EQ(count_verdict(count_rows(100'000, 101'001)), slow);
  EXPECT_EQ(count_verdict(count_rows(101'001, 100'000)), fast);
}

TEST(SuiteGate, TrustsNoCountsThatChangeFromRunToRun) {
  EXPECT_EQ(count_verdict(count_rows(100'000, 100'000, 0.00009)), same);
  EXPECT_EQ(count_verdict(count_rows(100'000, 100'000, 0.00011)), invalid);
}

TEST(SuiteGate, NeedsEveryBenchmarkInEveryPair) {
  auto rows = pair_rows("f/a", 1.0);
  auto fewer = pair_rows("f/b", 1.0, 19);
  rows.insert(rows.end(), fewer.begin(), fewer.end());
  EXPECT_THROW(judge_times(rows, {}), DataError);
}

TEST(SuiteGate, NothingIsInvalid) { EXPECT_EQ(verdict_of(judge_times({}, {})), invalid); }

}  // namespace
}  // namespace speclab::analysis
