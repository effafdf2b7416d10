#include "analysis/tables/acceptance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

constexpr const char* kCell = "\"c\",chat,m,ngram,chain,constant:4,rejection,1,0,1,0,1,";

std::vector<AcceptanceRow> read(const std::string& lines) {
  const testing::ScratchFolder scratch;
  write_file(scratch.file("acceptance.csv"),
             fmt::format("{}\n{}", fmt::join(acceptance_table().names(), ","), lines));
  return read_acceptance(scratch.file("acceptance.csv"));
}

std::string row(const std::string& rest) { return kCell + rest + "\n"; }

TEST(Acceptance, IsReadRowByRow) {
  const auto rows =
      read(row("chat_01,100,1,90,90,45,40,50,60,,,,,,,") + row("chat_01,100,2,90,45,20,,,,,,,,,,"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].positions, 100);
  EXPECT_EQ(rows[0].sums.known_ranks, 3U);
  EXPECT_EQ(rows[0].sums.in_top[2], 60.0);
  EXPECT_EQ(rows[1].depth, 2);
  EXPECT_EQ(rows[1].sums.known_ranks, 0U);
  EXPECT_EQ(rows[1].axes.drafter, "ngram");
}

/// What reading these lines is refused with; empty if they are read.
std::string refusal(const std::string& lines) {
  try {
    read(lines);
    return "";
  } catch (const DataError& error) {
    return error.what();
  }
}

TEST(Acceptance, RefusesSumsThatContradictEachOther) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"p,100,1,101,90,45,,,,,,,,,,", "drafts"},
      {"p,100,1,90,91,45,,,,,,,,,,", "reached"},
      {"p,100,1,90,90,95,,,,,,,,,,", "accepted"},
      {"p,100,1,90,90,45,40,30,,,,,,,,", "in_top_2"},
      {"p,100,1,90,90,45,40,,60,,,,,,,", "in_top_3"},
      {"p,100,1,90,90,45,91,,,,,,,,,", "in_top_1"},
      {"p,0,1,0,0,0,,,,,,,,,,", "positions"},
      {"p,100,0,90,90,45,,,,,,,,,,", "depth"},
      {"p,100,20000,90,90,45,,,,,,,,,,", "depth"}};
  for (const auto& [line, column] : mistakes) {
    EXPECT_NE(refusal(row(line)).find(fmt::format(":2: column '{}'", column)), std::string::npos)
        << line << ": " << refusal(row(line));
  }
}

TEST(Acceptance, RefusesRowsThatContradictThoseBeforeThem) {
  const std::string first = row("p,100,1,90,90,45,,,,,,,,,,");
  const std::string other_axes =
      "\"c\",chat,m,ngram,chain,constant:4,rejection,0.5,0,1,0,1,q,100,1,90,90,45,,,,,,,,,,\n";
  const std::string other_category =
      "\"c\",sums,m,ngram,chain,constant:4,rejection,1,0,1,0,1,p,100,2,90,45,20,,,,,,,,,,\n";
  const std::pair<std::string, const char*> mistakes[] = {
      {first, "depth"},
      {row("p,100,3,90,45,20,,,,,,,,,,"), "depth"},
      {row("q,100,2,90,45,20,,,,,,,,,,"), "depth"},
      {other_axes, "cell_id"},
      {row("p,99,2,90,45,20,,,,,,,,,,"), "positions"},
      {other_category, "category"},
      {row("p,100,2,91,45,20,,,,,,,,,,"), "drafts"}};
  for (const auto& [line, column] : mistakes)
    EXPECT_NE(refusal(first + line).find(fmt::format(":3: column '{}'", column)), std::string::npos)
        << line << ": " << refusal(first + line);
}

}  // namespace
}  // namespace speclab::analysis
