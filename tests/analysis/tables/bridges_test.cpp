// bridges.csv: what is written is read again, and damage is told by its place.

#include "analysis/tables/bridges.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::analysis {
namespace {

constexpr const char* kBridgesHeader =
    "row_id,bridge,draft_tokens,spelling_ns,unshared_outputs,shared_vocabulary,draft_vocabulary,"
    "target_vocabulary\n";

class Bridges : public ::testing::Test {
 protected:
  std::string error(const std::string& row) {
    write_file(path(), kBridgesHeader + row + "\n");
    try {
      read_bridges(path());
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }
  std::string path() const { return folder_.path("bridges.csv"); }

 private:
  speclab::testing::TemporaryFolder folder_;
};

/// Defect: a column is written under another's name, or a run without bridges is refused.
TEST_F(Bridges, AreReadAsTheyWereWritten) {
  EXPECT_TRUE(read_bridges(path()).empty());
  const std::string table = bridges_table().csv(
      {{{3, {"re_encode", 40, 1000, {.shared = 5, .draft = 8, .target = 9}, 2}}}});
  write_file(path(), table);
  EXPECT_EQ(table, std::string(kBridgesHeader) + "3,re_encode,40,1000,2,5,8,9\n");
  const std::vector<BridgeRow> rows = read_bridges(path());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(bridges_table().csv(rows), table);
}

/// Defect: shares above 1, or negative counts, go on into tables.
TEST_F(Bridges, RefuseWhatCannotBe) {
  EXPECT_EQ(error("3,re_encode,40,1000,2,5,8,9"), "no error");
  EXPECT_NE(error("3,re_encode,40,1000,2,9,8,9").find("shared_vocabulary"), std::string::npos);
  EXPECT_NE(error("3,re_encode,-1,1000,2,5,8,9").find("draft_tokens"), std::string::npos);
  EXPECT_NE(error("3,,40,1000,2,5,8,9").find("bridge"), std::string::npos);
  EXPECT_NE(error("3,re_encode,40,1000,2,5,8,9\n3,re_encode,40,1000,2,5,8,9").find("row_id"),
            std::string::npos);
  EXPECT_NE(error("3,re_encode,40,1000,2,0,0,9").find("draft_vocabulary"), std::string::npos);
}

}  // namespace
}  // namespace speclab::analysis
