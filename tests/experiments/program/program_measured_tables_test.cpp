// `speclab reproduce` of the papers' tables that are measured, from the sweep to the comparison:
// the built program with fake engines. (closed_world, of no paper, has models of its own.)

#include <filesystem>

#include "analysis/tables/table.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/program.h"
#include "tests/support/test_size.h"

namespace speclab {
namespace {

class MeasuredTable : public ::testing::TestWithParam<const char*> {
 protected:
  /// Measures and compares. @return rows of its sweeps
  std::size_t rows_of(const std::string& how) const {
    const testing::Outcome outcome =
        testing::run_shell(std::string(SPECLAB_PROGRAM) + " reproduce " + GetParam() + " " + how +
                           " --no-figures --output " + folder_.path(how) + " 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    const std::string table = folder_.path(how) + "/" + GetParam();
    EXPECT_NE(read_file(table + "/remarks.txt").find("so no number must agree"), std::string::npos)
        << "what cannot be compared is said";
    EXPECT_GT(analysis::Table::read(table + "/comparison.csv").size(), 0U);
    std::size_t rows = 0;
    for (const auto& sweep : std::filesystem::directory_iterator(folder_.path(how) + "/runs"))
      for (const char* file : {"/rows.csv", "/acceptance.csv"})
        if (const std::string path = sweep.path().string() + file; std::filesystem::exists(path))
          rows += analysis::Table::read(path).size();
    return rows;
  }

  const testing::TemporaryFolder folder_{testing::memory_folder()};
};

TEST_P(MeasuredTable, IsMeasuredQuicklyOrInFull) {
  const std::size_t quick = rows_of("--quick");
  EXPECT_GT(quick, 0U);
  if (testing::by_size(false, true, true)) {
    EXPECT_GT(rows_of("--full"), quick);
  }
}

INSTANTIATE_TEST_SUITE_P(, MeasuredTable,
                         ::testing::Values("leviathan_table_2", "leviathan_table_3", "chen_table_1",
                                           "specinfer_table_1", "specinfer_table_2",
                                           "specinfer_table_3", "hf_temperature", "ntt_temperature",
                                           "ntt_model_size", "ntt_ranks", "ibm_heads"),
                         [](const auto& named) { return std::string(named.param); });

}  // namespace
}  // namespace speclab
