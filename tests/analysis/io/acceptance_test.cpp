#include "analysis/io/acceptance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

constexpr const char* kCell = "\"c\",chat,m,ngram,chain,constant:4,rejection,1,0,1,0,1,";

std::vector<AcceptanceRow> read(const std::string& lines) {
  const testing::ScratchFolder scratch;
  write_file(scratch.file("acceptance.csv"), fmt::format("{}\n{}", fmt::join(kAcceptanceColumns, ","), lines));
  return read_acceptance(scratch.file("acceptance.csv"));
}

std::string row(const std::string& rest) { return kCell + rest + "\n"; }

TEST(Acceptance, IsReadRowByRow) {
  const auto rows = read(row("chat_01,100,1,90,90,45,40,50,60,,,,,,,") + row("chat_01,100,2,90,45,20,,,,,,,,,,"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].positions, 100);
  EXPECT_EQ(rows[0].sums.known_ranks, 3U);
  EXPECT_EQ(rows[0].sums.in_top[2], 60.0);
  EXPECT_EQ(rows[1].depth, 2);
  EXPECT_EQ(rows[1].sums.known_ranks, 0U);
  EXPECT_EQ(rows[1].axes.drafter, "ngram");
}

TEST(Acceptance, RefusesSumsThatContradictEachOther) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"p,100,1,101,90,45,,,,,,,,,,", "drafts"},     {"p,100,1,90,91,45,,,,,,,,,,", "reached"},  {"p,100,1,90,90,95,,,,,,,,,,", "accepted"},
      {"p,100,1,90,90,45,40,30,,,,,,,,", "in_top_2"}, {"p,100,1,90,90,45,40,,60,,,,,,,", "in_top_3"}, {"p,100,1,90,90,45,91,,,,,,,,,", "in_top_1"},
      {"p,0,1,0,0,0,,,,,,,,,,", "positions"},         {"p,100,0,90,90,45,,,,,,,,,,", "depth"},    {"p,100,20000,90,90,45,,,,,,,,,,", "depth"}};
  for (const auto& [line, column] : mistakes) {
    try {
      read(row(line));
      ADD_FAILURE() << line << " was read";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(fmt::format(":2: column '{}'", column)), std::string::npos) << error.what();
    }
  }
  const std::string once = row("p,100,1,90,90,45,,,,,,,,,,");
  EXPECT_THROW(read(once + once), DataError);
}

}  // namespace
}  // namespace speclab::analysis
