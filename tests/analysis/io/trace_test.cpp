#include "analysis/io/trace.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::analysis {
namespace {

constexpr const char* kHeader = "row_id,round,position,drafted,rows,depth,accepted,tested,emitted,next_kind\n";

std::string trace_with(const std::string& rows) {
  const std::string folder = ::testing::TempDir() + "/bare_trace";
  make_folder(folder);
  write_file(folder + "/rounds.csv", kHeader + rows);
  return folder + "/rounds.csv";
}

TEST(Trace, WithoutRowsKnowsGenerationsOnly) {
  const auto generations = read_trace(trace_with("3,0,10,2,3,2,2,2,3,bonus\n3,1,13,2,3,2,0,1,1,recovered\n8,0,5,1,2,1,0,1,1,recovered\n"));
  ASSERT_EQ(generations.size(), 2U);
  EXPECT_EQ(generations[0].row_id, 3);
  EXPECT_EQ(generations[0].rounds.size(), 2U);
  EXPECT_EQ(generations[0].cluster, "3");
  EXPECT_FALSE(generations[0].axes);
  EXPECT_EQ(generations[1].rounds[0].tested, 1);
}

TEST(Trace, OfARunIsClusteredByPromptAndFiltered) {
  const std::string path = SPECLAB_SOURCE_DIR "/results/reference/quickstart_cpu/rounds.csv";
  const auto all = read_trace(path), greedy = read_trace(path, {.drafter = "bigram", .is_greedy = true});
  ASSERT_FALSE(greedy.empty());
  EXPECT_LT(greedy.size(), all.size());
  for (const TracedGeneration& generation : greedy) {
    EXPECT_EQ(generation.axes->drafter, "bigram");
    EXPECT_EQ(generation.axes->temperature, 0.0);
    EXPECT_NE(generation.cluster, std::to_string(generation.row_id));
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
      read_trace(trace_with(rows));
      ADD_FAILURE() << rows;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  EXPECT_THROW(read_trace(trace_with("3,0,10,2,3,2,2,2,3,bonus\n"), {.drafter = "bigram"}), DataError)
      << "without rows.csv nothing tells drafters apart";
  EXPECT_THROW(read_trace(SPECLAB_SOURCE_DIR "/results/reference/quickstart_cpu/rounds.csv", {.drafter = "psychic"}), DataError);
  EXPECT_THROW(read_trace("/nowhere/rounds.csv"), DataError);
}

}  // namespace
}  // namespace speclab::analysis
