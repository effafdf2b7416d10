// The kind `rule_atlas` end to end on the default model.

#include <filesystem>

#include "analysis/tables/atlas.h"
#include "sim/system/files.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_program;

std::string atlas_run(const std::string& folder) {
  return "run " SPECLAB_SOURCE_DIR
         "/experiments/configs/rule_atlas.toml --set 'axes.temperature=[0.0, 1.0]' --set "
         "'axes.drafter=[\"prompt_lookup\", \"small_transformer\"]'"
         " --set 'prompts.categories=[\"extraction\"]' --set prompts.new_tokens=16 --output " +
         folder + " 2>&1";
}

const analysis::AtlasRow& row_of(const std::vector<analysis::AtlasRow>& rows, double temperature,
                                 const std::string& rule) {
  return *std::ranges::find_if(rows, [&](const auto& row) {
    return row.axes.drafter == "small_transformer" && row.axes.temperature == temperature &&
           row.rule == rule;
  });
}

TEST(ProgramAtlas, CountsWhatTheClosedFormsSay) {
  const std::string folder = ::testing::TempDir() + "/atlas";
  std::filesystem::remove_all(folder);
  const Outcome run = run_program(atlas_run(folder));
  ASSERT_EQ(run.code, 0) << run.output;
  const auto rows = analysis::read_atlas(folder + "/atlas.csv");
  EXPECT_EQ(rows.size(), 2U * 2 * 10);
  EXPECT_TRUE(analysis::test_of(rows).passes());
  const auto acceptance = [&](const std::string& rule) {
    return row_of(rows, 1.0, rule).acceptance.closed_form;
  };
  EXPECT_GE(acceptance("rejection"), acceptance("sample_and_match"));
  EXPECT_GE(acceptance("lenient"), acceptance("rejection"));
  EXPECT_GE(acceptance("tree_without_replacement"), acceptance("rejection"));
  EXPECT_GE(row_of(rows, 1.0, "rejection").tokens_per_round->closed_form,
            row_of(rows, 1.0, "sample_and_match").tokens_per_round->closed_form);
  EXPECT_EQ(row_of(rows, 1.0, "rejection").distance, 0.0);
  EXPECT_GT(row_of(rows, 1.0, "typical").distance, 0.0);
  for (const char* rule : {"rejection", "sample_and_match", "block", "typical"})
    EXPECT_EQ(row_of(rows, 0.0, rule).acceptance.closed_form,
              row_of(rows, 0.0, "rejection").acceptance.closed_form)
        << rule << " at temperature 0";
  EXPECT_NE(
      read_file(folder + "/report.html").find("Acceptance of one draft by rule, small transformer"),
      std::string::npos);
  const Outcome again = run_program(atlas_run(folder));
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.output.find("is complete"), std::string::npos) << again.output;
}

TEST(ProgramAtlas, RefusesAxesThatItCannotFollow) {
  for (const char* axis : {"policy=[\"auto\"]", "policy=[\"constant:0\"]", "tree=[\"2x2\"]",
                           "verifier=[\"greedy\"]", "drafter=[\"none\"]"})
    testing::expect_refusal(
        std::string("run " SPECLAB_SOURCE_DIR "/experiments/configs/rule_atlas.toml --dry-run "
                    "--set 'axes.temperature=[0.0]' --set 'axes.") +
            axis + "'",
        2, "allowed: ");
}

}  // namespace
}  // namespace speclab
