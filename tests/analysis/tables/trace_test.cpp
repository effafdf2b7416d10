#include "analysis/tables/trace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::analysis {
namespace {

constexpr const char* kTraceHeader =
    "row_id,round,position,drafted,rows,depth,accepted,tested,emitted,next_kind\n";

std::string trace_with(const std::string& rows) {
  const std::string folder = ::testing::TempDir() + "/bare_trace";
  make_folder(folder);
  write_file(folder + "/rounds.csv", kTraceHeader + rows);
  return folder + "/rounds.csv";
}

/// A round that outlives its visit.
struct KeptRound {
  std::string cluster;
  std::optional<Setting> axes;
  Round round;
};

std::vector<KeptRound> read_trace_text(const std::string& path, const SettingFilter& filter = {}) {
  std::vector<KeptRound> rounds;
  read_trace(path, filter, [&rounds](const TracedRound& traced) {
    rounds.push_back(
        {traced.cluster, traced.axes ? std::optional(*traced.axes) : std::nullopt, traced.round});
  });
  return rounds;
}

TEST(Trace, WithoutRowsKnowsGenerationsOnly) {
  const auto rounds = read_trace_text(trace_with(
      "3,0,10,2,3,2,2,2,3,bonus\n3,1,13,2,3,2,0,1,1,recovered\n8,0,5,1,2,1,0,1,1,recovered\n"));
  ASSERT_EQ(rounds.size(), 3U);
  EXPECT_EQ(rounds[0].round.row_id, 3);
  EXPECT_EQ(rounds[1].cluster, "3");
  EXPECT_EQ(rounds[2].cluster, "8");
  EXPECT_FALSE(rounds[0].axes);
  EXPECT_EQ(rounds[2].round.tested, 1);
}

TEST(Trace, OfARunIsClusteredByPromptAndFiltered) {
  const std::string path = SPECLAB_SOURCE_DIR "/tests/golden/runs/quickstart/rounds.csv";
  const auto all = read_trace_text(path),
             greedy = read_trace_text(path, {.drafter = "bigram", .regime = Regime::greedy});
  ASSERT_FALSE(greedy.empty());
  EXPECT_LT(greedy.size(), all.size());
  for (const KeptRound& kept : greedy) {
    EXPECT_EQ(kept.axes->drafter, "bigram");
    EXPECT_EQ(kept.axes->temperature, 0.0);
    EXPECT_NE(kept.cluster, std::to_string(kept.round.row_id));
  }
}

TEST(Trace, OfManyRoundsIsReadInPieces) {
  std::string rows;
  for (int round = 0; round < 10'000; ++round)
    rows += "3," + std::to_string(round) + ",10,2,3,2,2,2,3,bonus\n";
  EXPECT_EQ(read_trace_text(trace_with(rows)).size(), 10'000U);
  try {
    read_trace_text(trace_with(rows + "3,10000,10,2,3,2,3,3,3,bonus\n"));
    ADD_FAILURE();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("rounds.csv:10002: column 'depth'"), std::string::npos)
        << error.what();
  }
}

TEST(Trace, RefusesWhatSaysNothingOrContradictsItself) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "no rounds; an empty trace"},
      {"3,1,10,2,3,2,2,2,3,bonus\n", "rounds.csv:2: column 'round': expected 0"},
      {"3,0,10,2,3,2,3,3,3,bonus\n", "column 'depth': must hold"},
      {"3,0,10,2,3,2,1,,2,recovered\n", "column 'tested': missing"},
      {"3,0,10,2,3,2,1,nan,2,recovered\n", "column 'tested': not an integer"},
      {"3,0,10,2,3,2,1,2,2,bonus\n", "column 'next_kind'"},
  };
  for (const auto& [rows, message] : cases) try {
      read_trace_text(trace_with(rows));
      ADD_FAILURE() << rows;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  EXPECT_THROW(read_trace_text(trace_with("3,0,10,2,3,2,2,2,3,bonus\n"), {.drafter = "bigram"}),
               DataError)
      << "without rows.csv nothing tells drafters apart";
  EXPECT_THROW(read_trace_text(SPECLAB_SOURCE_DIR "/tests/golden/runs/quickstart/rounds.csv",
                               {.drafter = "psychic"}),
               DataError);
  EXPECT_THROW(read_trace_text("/nowhere/rounds.csv"), DataError);
}

}  // namespace
}  // namespace speclab::analysis
