// `speclab reproduce` as a user meets it.

#include <filesystem>
#include <set>
#include <sstream>

#include "analysis/tables/table.h"
#include "sim/system/files.h"
#include "tests/experiments/program/program.h"
#include "tests/support/drawing_tools.h"
#include "tests/support/figure_marks.h"

namespace speclab {
namespace {

using testing::expect_refusal;
using testing::Outcome;
using testing::run_program;

std::string fresh_folder(const std::string& name) {
  const std::string folder = ::testing::TempDir() + "/" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

/// Runs the program with marks in place of figures.
Outcome run_for_marks(const std::string& arguments) {
  return testing::run_shell(testing::kMarksOnly + SPECLAB_PROGRAM + " " + arguments);
}

TEST(ProgramReproduce, ListsEveryName) {
  const Outcome list = run_program("reproduce --list");
  EXPECT_EQ(list.code, 0);
  for (const char* id : {"leviathan_table_1", "leviathan_table_4", "leviathan_table_5",
                         "leviathan_figure_2", "leviathan_figure_3", "leviathan_figure_4",
                         "leviathan_figure_5", "chen_figure_1", "specinfer", "sequoia",
                         "hf_schedule", "ntt_metrics", "batch_crossover", "metric_crosswalk"})
    EXPECT_NE(list.output.find(id), std::string::npos) << id;
}

TEST(ProgramReproduce, ListsAndDoesNothingElse) {
  for (const char* other : {"sequoia", "--all-analytic", "--output x", "--no-figures", "--data x",
                            "--metric speculation_length=3"})
    expect_refusal(std::string("reproduce --list ") + other, 2, "excludes");
}

constexpr const char* kCommittedRemarks =
    SPECLAB_SOURCE_DIR "/results/reference/paper_tables/closed_forms/remarks.txt";

/// Lines of remarks.txt of a table, each behind its name; empty if there are none.
std::string remarks_of(const std::string& folder, const std::string& id) {
  const std::string path = folder + "/" + id + "/remarks.txt";
  if (!std::filesystem::exists(path)) return "";
  std::istringstream lines(read_file(path));
  std::string named;
  for (std::string line; std::getline(lines, line);) named += id + ": " + line + "\n";
  return named;
}

std::set<std::string> sorted_lines(const std::string& text) {
  std::istringstream lines(text);
  std::set<std::string> sorted;
  for (std::string line; std::getline(lines, line);) sorted.insert(line);
  return sorted;
}

/// Defect: a closed form disagrees, or its figure shows other numbers than it did.
TEST(ProgramReproduce, AllThatIsAnalyticAgreesAndIsDrawn) {
  const std::string folder = fresh_folder("reproduce_all");
  const Outcome outcome = run_for_marks("reproduce --all-analytic --output " + folder + " 2>&1");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find(", 0 disagree\n"), std::string::npos);
  EXPECT_EQ(outcome.output.find("nan"), std::string::npos);
  const analysis::Table summary = analysis::Table::read(folder + "/summary.csv");
  std::string remarks;
  for (std::size_t row = 0; row < summary.size(); ++row) {
    const std::string id = summary.text(row, "experiment");
    EXPECT_EQ(summary.integer(row, "disagrees"), 0) << id;
    EXPECT_EQ(analysis::Table::read(folder + "/" + id + "/comparison.csv").size(),
              static_cast<std::size_t>(summary.integer(row, "rows")))
        << id;
    int figures = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/" + id))
      figures += entry.path().extension() == ".svg";
    EXPECT_GE(figures, 1) << id;
    remarks += remarks_of(folder, id);
  }
  EXPECT_EQ(sorted_lines(remarks), sorted_lines(read_file(kCommittedRemarks)));
  testing::expect_golden_marks("closed_forms", folder);
}

constexpr const char* kSweeps = SPECLAB_SOURCE_DIR "/tests/golden/runs/papers";
constexpr const char* kExpected = SPECLAB_SOURCE_DIR "/tests/golden/runs/papers_expected";
/// Read from sweeps.
const std::vector<std::string> kSweptIds{
    "leviathan_table_2", "leviathan_table_3", "chen_table_1",        "specinfer_table_1",
    "specinfer_table_2", "specinfer_table_3", "hf_temperature",      "ntt_temperature",
    "ntt_model_size",    "ntt_ranks",         "ntt_cross_tokenizer", "ibm_heads",
    "closed_world",      "cost_of_exactness", "latency_levers",      "hf_modes",
    "leviathan_beam"};

/// Arguments that read every measured table from its sweep.
std::string reading_of_sweeps(const std::string& folder) {
  std::string arguments = "reproduce";
  for (const std::string& id : kSweptIds) arguments += " " + id;
  return arguments + " --from " + kSweeps + " --output " + folder + " 2>&1";
}

/// Defect: a measured table or its figure shows other numbers than it did.
TEST(ProgramReproduce, ReadsEveryMeasuredTableFromItsSweepAsItWasWritten) {
  const std::filesystem::path folder = fresh_folder("reproduce_measured");
  const Outcome outcome = run_for_marks(reading_of_sweeps(folder.string()));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  for (const std::string& id : kSweptIds) {
    for (const char* file : {"/comparison.csv", "/remarks.txt"})
      EXPECT_EQ(read_file((folder / id).string() + file),
                read_file(std::string(kExpected).append("/").append(id).append(file)))
          << id << file;
  }
  testing::expect_golden_marks("papers", folder);
}

/// Defect: a figure of the same numbers is drawn otherwise than it was.
TEST(GoldenFigures, OfClosedFormsAndMeasuredTablesAreDrawnByteByByte) {
  if (const std::string others = testing::other_drawing_tools(); !others.empty())
    GTEST_SKIP() << others;
  const std::string analytic = fresh_folder("drawn_analytic"), measured = fresh_folder("drawn");
  ASSERT_EQ(run_program("reproduce --all-analytic --output " + analytic + " 2>&1").code, 0);
  ASSERT_EQ(run_program(reading_of_sweeps(measured)).code, 0);
  testing::expect_golden_figures("closed_forms", analytic);
  testing::expect_golden_figures("papers", measured);
}

TEST(ProgramReproduce, RefusesMeasuredTablesWithoutASweepThatFits) {
  expect_refusal("reproduce leviathan_table_2", 2, "--quick");
  expect_refusal("reproduce leviathan_table_4 --quick", 2, "for measured tables");
  expect_refusal("reproduce leviathan_table_2 --quick --full", 2, "contradict");
  expect_refusal("reproduce hf_modes --quick --output /proc/nowhere", 8, "/proc/nowhere");
  const std::string folder = fresh_folder("reproduce_foreign");
  std::filesystem::create_directory(folder);
  for (const char* sweep :
       {"best_length", "own_text", "tree_widths", "temperature", "model_size", "nucleus_summaries",
        "nucleus_code", "closed_world", "mlp_heads", "cost_of_exactness", "cross_tokenizer",
        "latency_levers", "hf_modes", "leviathan_beam"})
    std::filesystem::create_directory_symlink(
        SPECLAB_SOURCE_DIR "/tests/golden/runs/walltime_vs_model_size", folder + "/" + sweep);
  for (const std::string& id : kSweptIds) {
    expect_refusal("reproduce " + id + " --from " + folder + " --output " + folder + "/out", 3,
                   "experiments/configs/papers");
    expect_refusal("reproduce " + id + " --from " + folder + "/nothing --output " + folder + "/out",
                   3, "manifest.toml");
  }
}

/// Defect: work between two tokenizers is read of another run's generations.
TEST(ProgramReproduce, RefusesBridgesOfOtherRows) {
  const std::string folder = fresh_folder("reproduce_bridges"), sweep = folder + "/cross_tokenizer";
  std::filesystem::create_directory(folder);
  std::filesystem::copy(kSweeps + std::string("/cross_tokenizer"), sweep);
  std::string bridges = read_file(sweep + "/bridges.csv");
  const std::size_t last = bridges.rfind('\n', bridges.size() - 2) + 1;
  bridges.replace(last, bridges.find(',', last) - last, "999999");
  write_file(sweep + "/bridges.csv", bridges);
  expect_refusal("reproduce ntt_cross_tokenizer --from " + folder + " --output " + folder + "/out",
                 3, "row_id 999999 is not in rows.csv");
}

TEST(ProgramReproduce, EndsWithFiveWhereAClosedFormDisagrees) {
  const std::string data = fresh_folder("reproduce_data"),
                    folder = fresh_folder("reproduce_changed");
  std::filesystem::copy(SPECLAB_SOURCE_DIR "/experiments/papers", data);
  std::string content = read_file(data + "/leviathan_fig3.csv");
  content.replace(content.find("0.01,grid,0.90,24,"), 18, "0.01,grid,0.90,25,");
  write_file(data + "/leviathan_fig3.csv", content);
  const std::string options = " --no-figures --output " + folder + " --data " + data + " 2>&1";
  const Outcome changed = run_program("reproduce leviathan_figure_3" + options);
  EXPECT_EQ(changed.code, 5) << changed.output;
  EXPECT_NE(changed.output.find("1 disagree"), std::string::npos) << changed.output;
  EXPECT_EQ(run_program("reproduce --all-analytic" + options).code, 5);
  EXPECT_EQ(run_program("reproduce leviathan_figure_2" + options).code, 0);
}

TEST(ProgramReproduce, RefusesNumbersThatNoFormulaTakes) {
  const std::string data = fresh_folder("reproduce_bad_data");
  std::filesystem::copy(SPECLAB_SOURCE_DIR "/experiments/papers", data);
  std::string content = read_file(data + "/leviathan_table1.csv");
  content.replace(content.find("\n0.6,2,0,0,"), 5, "\n1.6,");
  write_file(data + "/leviathan_table1.csv", content);
  expect_refusal("reproduce leviathan_table_1 --no-figures --output " +
                     fresh_folder("reproduce_refused") + " --data " + data,
                 3, "leviathan_table_1: ");
  const auto refuses = [&](const std::string& changed, const char* mentions) {
    write_file(data + "/leviathan_table1.csv", changed);
    expect_refusal("reproduce leviathan_table_1 --no-figures --output " +
                       fresh_folder("reproduce_refused") + " --data " + data,
                   3, mentions);
  };
  const std::string whole =
      read_file(SPECLAB_SOURCE_DIR "/experiments/papers/leviathan_table1.csv");
  refuses(whole.substr(0, whole.find('\n') + 1), "0 rows; allowed: at least the 24");
  std::string wide = whole;
  wide.replace(wide.find("\n0.6,2,"), 7, "\n0.6,4294967298,");
  refuses(wide, "leviathan_table1.csv:2: column 'speculation_length': 4294967298");
  std::string loose = whole;
  loose.replace(loose.find(",0.005,"), 7, ",1e300,");
  refuses(loose, "column 'tolerance_abs'");
}

TEST(ProgramReproduce, RefusesAFolderWithoutAName) {
  expect_refusal("reproduce leviathan_table_1 --no-figures --output ''", 2, "--output ''");
  expect_refusal("reproduce leviathan_table_1 --no-figures --data ''", 2, "--data ''");
}

/// A limit on the size of files is no reason to be killed.
TEST(ProgramReproduce, SaysSoWhereAFileMayNotGrow) {
  const std::string folder = fresh_folder("reproduce_limited"), program = SPECLAB_PROGRAM;
  const Outcome outcome = testing::run_shell(
      "ulimit -f 1; " + program + " reproduce leviathan_figure_3 --no-figures --output " + folder +
      " 2>&1 >/dev/null");
  EXPECT_EQ(outcome.code, 8) << outcome.output;
  EXPECT_NE(outcome.output.find("cannot write: File too large; free space"), std::string::npos)
      << outcome.output;
  make_folder(folder);
  const Outcome printed = testing::run_shell(
      "ulimit -f 1; " + program +
      " predict --acceptance-rate 0.8 --cost-ratio 0.05 --max-length 400 2>/dev/null >" + folder +
      "/table.txt");
  EXPECT_EQ(printed.code, 8);
  const Outcome drawn = testing::run_shell(
      "ulimit -f 8; " + program + " predict --acceptance-rate 0.8 --cost-ratio 0.05 --plot " +
      folder + "/figure.pdf 2>&1 >/dev/null");
  EXPECT_EQ(drawn.code, 8) << drawn.output;
  EXPECT_FALSE(std::filesystem::exists(folder + "/figure.pdf"));
}

TEST(ProgramReproduce, NamesTheSlipsOfTheSources) {
  const Outcome outcome =
      run_program("reproduce leviathan_table_4 leviathan_table_5 --no-figures --output " +
                  fresh_folder("reproduce_slips"));
  EXPECT_EQ(outcome.code, 0);
  for (const char* name : {"exp_en_de_base_t1", "exp_en_de_large_t1", "exp_cnn_dm_large_t1",
                           "lenient_argmax_inequality", "lenient_speedups_t1"})
    EXPECT_NE(outcome.output.find(std::string("slip ") + name), std::string::npos) << name;
}

TEST(ProgramReproduce, ConvertsMetricsAndRefusesAmbiguousOnes) {
  const Outcome outcome = run_program(
      "reproduce metric_crosswalk --metric vllm.mean_acceptance_length=2.25 --metric "
      "speculation_length=3");
  ASSERT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.output.find("0.416667"), std::string::npos) << outcome.output;
  expect_refusal(
      "reproduce metric_crosswalk --metric acceptance_rate=0.8 --metric speculation_length=3", 11,
      "name one of them");
  expect_refusal(
      "reproduce metric_crosswalk --metric acceptance_length=2.25 --metric speculation_length=3",
      11, "vllm.mean_acceptance_length");
  expect_refusal("reproduce metric_crosswalk --metric vllm.mean_acceptance_length=2.25", 11,
                 "speculation_length=N");
  expect_refusal(
      "reproduce metric_crosswalk --metric vllm.mean_acceptance_length=9 --metric "
      "speculation_length=3",
      2, "allowed: 1 to 4");
  expect_refusal("reproduce sequoia --metric vllm.mean_acceptance_length=2.25", 2,
                 "metric_crosswalk");
}

TEST(ProgramReproduce, RefusesWhatItCannotReproduce) {
  expect_refusal("reproduce", 2, "--list");
  expect_refusal("reproduce leviathan_table_9", 2,
                 "no table or figure 'leviathan_table_9'; allowed: leviathan_table_1");
  expect_refusal("reproduce --all-analytic sequoia", 2, "contradict");
  expect_refusal("reproduce sequoia --data /nowhere", 3, "/nowhere/");
  expect_refusal("reproduce leviathan_table_1 --no-figures --output /proc/nowhere", 8,
                 "/proc/nowhere");
}

}  // namespace
}  // namespace speclab
