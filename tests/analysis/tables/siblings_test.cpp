#include "analysis/tables/siblings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

std::vector<SiblingRow> read_sibling_text(const std::string& rest) {
  const testing::ScratchFolder scratch;
  write_file(scratch.file("siblings.csv"),
             fmt::format("{}\n\"c\",chat,m,ngram,2x2,constant:4,rejection,1,0,1,0,1,{}\n",
                         fmt::join(siblings_table().names(), ","), rest));
  return read_siblings(scratch.file("siblings.csv"));
}

TEST(Siblings, AreReadRowByRow) {
  const SiblingRow row = read_sibling_text("chat_01,2,1,2,90,45.5,20").at(0);
  EXPECT_EQ(row.prompt_id, "chat_01");
  EXPECT_EQ(row.axes.drafter, "ngram");
  EXPECT_EQ(row.place, (sim::TreePlace{2, 1, 2}));
  EXPECT_EQ(row.sums, (SiblingSums{90, 45.5, 20}));
}

TEST(Siblings, RefuseWhatCannotBe) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"p,1,1,1,9,9,4", "parent_rank"}, {"p,2,0,1,9,9,4", "parent_rank"},
      {"p,0,0,1,9,9,4", "depth"},       {"p,1,0,0,9,9,4", "rank"},
      {"p,1,0,1,0,0,0", "drafts"},      {"p,1,0,1,9,10,4", "reached"},
      {"p,1,0,1,9,8,8.5", "accepted"},  {"p,1,0,1,9,8,", "accepted"},
      {"p,99999,1,1,9,8,1", "depth"},   {"p,1,0,x,9,8,1", "rank"}};
  for (const auto& [line, column] : mistakes) {
    try {
      read_sibling_text(line);
      ADD_FAILURE() << line << " was read";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(fmt::format(":2: column '{}'", column)),
                std::string::npos)
          << line << ": " << error.what();
    }
  }
}

TEST(Siblings, RefuseAPlaceThatComesTwice) {
  try {
    read_sibling_text(
        "p,1,0,1,9,9,4\n\"c\",chat,m,ngram,2x2,constant:4,rejection,1,0,1,0,1,p,1,0,1,9,9,4");
    ADD_FAILURE() << "was read";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find(":3: column 'rank'"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace speclab::analysis
