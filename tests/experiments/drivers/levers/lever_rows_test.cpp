// Rows of the experiment on levers: what is written is read again, and damage is told by its place.

#include "analysis/tables/levers.h"

#include <gtest/gtest.h>

#include "experiments/drivers/levers/measure_steps.h"
#include "experiments/drivers/reproduce/measured/measured_table.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

using analysis::LeverRow;

void write_lever_rows(std::span<const LeverRow> rows, const std::string& path) {
  write_file(path, analysis::levers_table().csv(rows));
}

std::vector<LeverRow> read_lever_rows(const std::string& path) {
  return analysis::levers_table().read(path);
}

LeverRow row_of(const char* lever, int batch, int draft_length, double tokens_per_s) {
  LeverRow row{.model = "m",
               .lever = lever,
               .arithmetic = "bfloat16",
               .kernels = "avx2, weights in Q4_0",
               .batch = batch,
               .draft_length = draft_length,
               .units = 3,
               .tokens = 40,
               .tokens_per_s = tokens_per_s,
               .interval = analysis::Interval{tokens_per_s - 1, tokens_per_s + 1},
               .predicted_tokens_per_s = 9,
               .tokens_per_round = 2.5,
               .weight_bytes = 100,
               .streamed_bytes = 80,
               .source_bytes_per_s = 1e9,
               .machine = "a machine",
               .revision = "0123"};
  if (draft_length > 0) {
    row.speedup = 2.25;
    row.speedup_interval = analysis::Interval{2, 2.5};
  }
  return row;
}

// Catches a column that is written under another's name, and a missing value that becomes 0.
TEST(LeverRows, AreReadAsTheyWereWritten) {
  const speclab::testing::TemporaryFolder folder;
  LeverRow batch = row_of("bfloat16", 64, 0, 900);
  batch.batch_gain = 8.5;
  batch.interval.reset();
  const std::vector<LeverRow> rows{row_of("streamed", 1, 7, 12), batch};
  const std::string path = folder.path("levers.csv"), again = folder.path("again.csv");
  write_lever_rows(rows, path);
  const std::vector<LeverRow> found = read_lever_rows(path);
  write_lever_rows(found, again);
  EXPECT_EQ(read_file(again), read_file(path));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].speedup, 2.25);
  EXPECT_EQ(found[0].streamed_bytes, 80);
  EXPECT_EQ(found[0].interval->high, 13);
  EXPECT_FALSE(found[0].batch_gain);
  EXPECT_FALSE(found[1].interval);
  EXPECT_EQ(found[1].batch_gain, 8.5);
  EXPECT_EQ(found[1].batch, 64);
}

// Catches a claim of the article beside another lever's number.
TEST(LeverRows, StandBesideTheClaimsOfTheArticle) {
  const speclab::testing::TemporaryFolder folder;
  LeverRow batch = row_of("bfloat16", 64, 0, 900);
  batch.batch_gain = 8.5;
  write_lever_rows(std::vector{row_of("bfloat16", 1, 7, 20), row_of("int8", 1, 7, 30),
                               row_of("streamed", 1, 7, 3), row_of("4-bit", 1, 7, 40), batch},
                   folder.path("levers.csv"));
  const Reproduction result = latency_levers(Papers(), {{"latency_levers", folder.path()}});
  std::vector<double> theirs;
  for (const Comparison& row : result.rows)
    if (row.reference) theirs.push_back(*row.reference);
  ASSERT_EQ(theirs.size(), 4u);
  EXPECT_EQ(theirs[0], 2);
  EXPECT_EQ(theirs[1], 3);
  EXPECT_EQ(theirs[2], 10);
  EXPECT_NEAR(theirs[3], 38.9, 0.05);
  EXPECT_EQ(result.figures.size(), 1u);
}

TEST(LeverRows, ThatAreDamagedAreRefused) {
  const speclab::testing::TemporaryFolder folder;
  const RunFolders folders{{"latency_levers", folder.path()}};
  EXPECT_THROW(latency_levers(Papers(), folders), DataError);
  write_file(folder.path("levers.csv"), "model,lever\nm,int8\n");
  EXPECT_THROW(latency_levers(Papers(), folders), DataError);
  write_lever_rows({}, folder.path("levers.csv"));
  EXPECT_THROW(latency_levers(Papers(), folders), DataError);
}

TEST(StepCosts, LieOnStraightLinesBetweenTimedRows) {
  const StepCosts costs({{1, 10}, {4, 16}, {8, 40}});
  EXPECT_EQ(costs.at(0.5), 10);
  EXPECT_EQ(costs.at(1), 10);
  EXPECT_EQ(costs.at(3), 14);
  EXPECT_EQ(costs.at(6), 28);
  EXPECT_EQ(costs.at(8), 40);
  EXPECT_EQ(costs.at(50), 40);
}

}  // namespace
}  // namespace speclab::experiments
