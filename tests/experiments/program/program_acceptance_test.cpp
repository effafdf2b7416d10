// The kind `drafter_acceptance` end to end on the default model.

#include <algorithm>
#include <filesystem>

#include "analysis/tables/acceptance.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_program;

std::string acceptance_run(const std::string& folder) {
  return "run " SPECLAB_SOURCE_DIR
         "/experiments/configs/drafter_acceptance.toml --set 'axes.drafter=[\"unigram\", "
         "\"prompt_lookup\", \"small_transformer\"]'"
         " --set 'prompts.categories=[\"question_answering\"]' --set prompts.per_category=1 --set "
         "prompts.new_tokens=24 --output " +
         folder + " 2>&1";
}

/// The run of all three drafters, made once. @return its folder, which tests read and leave as it
/// is
const std::string& whole_run() {
  static const testing::TemporaryFolder parent;
  static const std::string folder = [] {
    std::string path = parent.path("acceptance");
    const Outcome run = run_program(acceptance_run(path));
    EXPECT_EQ(run.code, 0) << run.output;
    return path;
  }();
  return folder;
}

const analysis::AcceptanceRow& row_of(const std::vector<analysis::AcceptanceRow>& rows,
                                      const std::string& drafter, double temperature, int depth) {
  return *std::ranges::find_if(rows, [&](const auto& row) {
    return row.axes.drafter == drafter && row.axes.temperature == temperature && row.depth == depth;
  });
}

TEST(ProgramAcceptance, AsksEveryDrafterAtEveryPlace) {
  const std::string& folder = whole_run();
  const auto rows = analysis::read_acceptance(folder + "/acceptance.csv");
  for (const auto& row : rows)
    EXPECT_EQ(row.positions, row_of(rows, "unigram", row.axes.temperature, 1).positions)
        << "the text is the target's, whoever drafts";
  for (const double temperature : {0.0, 1.0}) {
    const auto& first = row_of(rows, "small_transformer", temperature, 1).sums;
    EXPECT_EQ(first.known_ranks, analysis::kRanks);
    EXPECT_EQ(first.drafts, row_of(rows, "small_transformer", temperature, 1).positions);
    EXPECT_GT(first.accepted, row_of(rows, "unigram", temperature, 1).sums.accepted);
    EXPECT_GT(first.in_top[9], first.in_top[0]);
  }
  EXPECT_EQ(row_of(rows, "small_transformer", 0.0, 1).sums.accepted,
            row_of(rows, "small_transformer", 0.0, 1).sums.in_top[0])
      << "at temperature 0 the likeliest token is what is drafted";
  const auto& looked_up = row_of(rows, "prompt_lookup", 1.0, 1).sums;
  EXPECT_EQ(looked_up.in_top[looked_up.known_ranks - 1], looked_up.in_top[0])
      << "a copied token is all of its law";
  EXPECT_LT(row_of(rows, "prompt_lookup", 1.0, 1).sums.drafts,
            row_of(rows, "prompt_lookup", 1.0, 1).positions);
  const std::string report = read_file(folder + "/report.html");
  for (const char* figure :
       {"acceptance_by_depth_1", "in_top_k_2", "acceptance_over_temperature_1"})
    EXPECT_NE(report.find(figure), std::string::npos) << figure;
  const Outcome again = run_program(acceptance_run(folder));
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.output.find("is complete"), std::string::npos) << again.output;
}

/// Where rounds begin there are fewer places, and trees tell how often each of their places is
/// kept: what predictions of trees rest on.
TEST(ProgramAcceptance, LooksAtTreesWhereRoundsBegin) {
  const std::string folder = ::testing::TempDir() + "/acceptance_rounds";
  std::filesystem::remove_all(folder);
  const Outcome run =
      run_program(acceptance_run(folder) +
                  " --no-report --set 'experiment.places=\"rounds\"' --set "
                  "'axes.drafter=[\"small_transformer\"]' --set 'axes.tree=[\"2x2\"]'");
  ASSERT_EQ(run.code, 0) << run.output;
  const analysis::AcceptanceRun rows = analysis::read_acceptance_run(folder);
  for (const double temperature : {0.0, 0.5, 1.0})
    EXPECT_LT(row_of(rows.rows, "small_transformer", temperature, 1).positions, 24)
        << "rounds keep what was drafted";
  double reached = 0, at_second_level = 0;
  for (const analysis::SiblingRow& row : rows.siblings) {
    EXPECT_LE(row.place.rank, 2);
    if (row.axes.temperature == 1.0 && row.place.depth == 1) reached += row.sums.accepted;
    if (row.axes.temperature == 1.0 && row.place.depth == 2 && row.place.rank == 1)
      at_second_level += row.sums.reached;
  }
  EXPECT_GT(reached, 0.0);
  EXPECT_NEAR(at_second_level, reached, 1e-6 * reached) << "whoever is kept has children";
  const Outcome prediction = run_program(
      "predict --observed " + folder +
      " --drafter small_transformer --temperature 1 --cost-ratio 0.01 --tree-budget 5 2>&1");
  EXPECT_EQ(prediction.code, 0) << prediction.output;
  EXPECT_NE(prediction.output.find("a chain of as many nodes: "), std::string::npos)
      << prediction.output;
}

TEST(ProgramAcceptance, SaysWhatIsMissingOfAnInterruptedRun) {
  const std::string folder = ::testing::TempDir() + "/acceptance_half";
  std::filesystem::remove_all(folder);
  std::filesystem::copy(whole_run(), folder, std::filesystem::copy_options::recursive);
  std::filesystem::remove(folder + "/SHA256SUMS");
  const std::string csv = read_file(folder + "/acceptance.csv"),
                    head = csv.substr(0, csv.find('\n') + 1);
  write_file(folder + "/acceptance.csv",
             csv.substr(0, csv.rfind('\n', csv.find(",small_transformer,")) + 1));
  const Outcome report = run_program("report " + folder + " --no-static-figures 2>&1");
  EXPECT_EQ(report.code, 0) << report.output;
  EXPECT_NE(report.output.find("Not finished: "), std::string::npos) << report.output;
  write_file(folder + "/acceptance.csv", head);
  testing::expect_refusal("report " + folder, 3, "no rows");
}

TEST(ProgramAcceptance, RefusesAxesThatItCannotFollow) {
  for (const char* axis : {"policy=[\"auto\"]", "policy=[\"heuristic\"]", "policy=[\"constant:0\"]",
                           "verifier=[\"sample_and_match\"]", "drafter=[\"none\"]"})
    testing::expect_refusal(
        std::string("run " SPECLAB_SOURCE_DIR
                    "/experiments/configs/drafter_acceptance.toml --dry-run --set 'axes.") +
            axis + "'",
        2, "allowed: ");
  testing::expect_refusal(
      "run " SPECLAB_SOURCE_DIR
      "/experiments/configs/quickstart.toml --dry-run --set 'experiment.places=\"rounds\"'",
      2, "allowed: nothing");
}

}  // namespace
}  // namespace speclab
