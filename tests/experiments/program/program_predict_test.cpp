// `speclab predict` as a user meets it.

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/tables/table.h"
#include "sim/system/files.h"
#include "tests/experiments/program/program.h"
#include "tests/support/address_limit.h"

namespace speclab {
namespace {

using testing::expect_refusal;
using testing::Outcome;
using testing::run_program;

std::string file_with(const std::string& name, const std::string& content) {
  const std::string path = ::testing::TempDir() + "/" + name;
  write_file(path, content);
  return path;
}

TEST(ProgramPredict, HelpGivesExamples) {
  for (const char* command : {"predict", "reproduce"}) {
    const Outcome outcome = run_program(std::string(command) + " --help");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.output.find(std::string("Example: speclab ") + command), std::string::npos)
        << outcome.output;
  }
}

TEST(ProgramPredict, AnswersInThreeForms) {
  const Outcome text = run_program("predict --acceptance-rate 0.9 --cost-ratio 0.1");
  ASSERT_EQ(text.code, 0) << text.output;
  EXPECT_NE(text.output.find("optimum  10: 6.8619 tokens a round, predicted speed-up 3.4309"),
            std::string::npos)
      << text.output;
  const Outcome json = run_program("predict --acceptance-rate 0.9 --cost-ratio 0.1 --json");
  const auto object = nlohmann::json::parse(json.output);
  EXPECT_EQ(object.at("optimum").at("optimal_speculation_length"), 10);
  EXPECT_NEAR(object.at("optimum").at("predicted_speedup").get<double>(), 3.43094701955, 1e-12);
  EXPECT_NEAR(object.at("optimum").at("tokens_per_round").get<double>(), 6.8618940391, 1e-12);
  const analysis::Table csv = analysis::Table::parse(
      run_program("predict --acceptance-rate 0.9 --cost-ratio 0.1 --csv").output, "csv");
  EXPECT_EQ(csv.integer(10, "speculation_length"), 10);
  EXPECT_NEAR(csv.number(10, "predicted_speedup"), 3.43094701955, 1e-12);
}

TEST(ProgramPredict, TakesTracesCostsAndLaws) {
  const std::string run = SPECLAB_SOURCE_DIR "/tests/golden/runs/quickstart";
  const Outcome outcome =
      run_program("predict --json --trace " + run + "/rounds.csv --costs " + run + "/costs.csv");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto object = nlohmann::json::parse(outcome.output);
  EXPECT_LT(object.at("acceptance_rate_low"), object.at("acceptance_rate_high"));
  EXPECT_TRUE(object.at("optimum").contains("optimal_speculation_length_low"));
  EXPECT_FALSE(object.at("notes").empty()) << "what was chosen is said";
  const std::string p = file_with("p.txt", "[0.4, 0.3, 0.2, 0.1]\n"),
                    q = file_with("q.txt", "[0.25, 0.25, 0.25, 0.25]\n");
  const Outcome laws = run_program("predict --json --cost-ratio 0.05 --p " + p + " --q " + q);
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(laws.output).at("acceptance_rate").get<double>(), 0.8)
      << laws.output;
}

/// `command` of FORMULAS.md with values and files for its capitals.
std::string with_values(std::string command) {
  const std::string runs = SPECLAB_SOURCE_DIR "/tests/golden/runs";
  const std::vector<std::pair<const char*, std::string>> values{
      {"-rate A", "0.8"},
      {"-ratio C", "0.05"},
      {"-ratio R", "0.1"},
      {"-law P", file_with("formulas_p.txt", "[0.4, 0.3, 0.2, 0.1]\n")},
      {"-law Q", file_with("formulas_q.txt", "[0.25, 0.25, 0.25, 0.25]\n")},
      {"-candidates K", "2"},
      {"-length N", "3"},
      {"-lenience L", "0.5"},
      {"-acceptance P1,P2", "0.6,0.2"},
      {"-budget N", "4"},
      {"-observed RUN", runs + "/papers/own_text --drafter unigram --temperature 0"},
      {"-num-beams W", "2"},
      {"-draft-beams U", "4"},
      {"-new-tokens N", "8"},
      {"-costs COSTS", runs + "/quickstart/costs.csv"},
      {"-batch B", "4"},
      {"-speculator E,V,N,D", "2,3,2,2"}};
  for (const auto& [name, value] : values)
    if (const std::size_t at = command.find(name); at != std::string::npos) {
      const std::size_t capitals = std::string(name).find(' ') + 1;
      command.replace(at + capitals, std::string(name).size() - capitals, value);
    }
  return command;
}

/// Defect: a command that FORMULAS.md names for a formula lacks an input and is refused.
TEST(ProgramPredict, AnswersTheCommandsOfTheFormulas) {
  const std::string page = read_file(SPECLAB_SOURCE_DIR "/sim/FORMULAS.md");
  std::set<std::string> commands;
  for (std::size_t at = 0; (at = page.find("`predict ", at)) != std::string::npos; ++at)
    commands.insert(page.substr(at + 1, page.find('`', at + 1) - at - 1));
  EXPECT_GE(commands.size(), 12u);
  for (const std::string& command : commands) {
    const Outcome outcome = run_program(with_values(command) + " 2>&1");
    EXPECT_EQ(outcome.code, 0) << command << "\n" << outcome.output;
  }
}

/// Defect: with --csv an option that asks a question is read over without a word.
TEST(ProgramPredict, SaysWhereTheAnswersAreThatTheTableLacks) {
  const Outcome outcome = run_program(
      "predict --acceptance-rate 0.8 --cost-ratio 0.05 --batch 4 --num-beams 2 --csv 2>&1");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.output.find("the text and --json have the answers to --batch, --num-beams"),
            std::string::npos)
      << outcome.output;
}

TEST(ProgramPredict, DrawsOneFileOfTheFormatAskedFor) {
  for (const char* extension : {"pdf", "svg", "png"}) {
    const std::string path = ::testing::TempDir() + "/prediction." + extension;
    std::filesystem::remove(path);
    const Outcome outcome = run_program(
        "predict --acceptance-rate 0.8:0.7:0.9 --cost-ratio 0.05 --plot " + path + " 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_GT(std::filesystem::file_size(path), 1000U);
  }
  EXPECT_FALSE(std::filesystem::exists(::testing::TempDir() + "/.prediction.new.pdf"));
}

TEST(ProgramPredict, RefusesBadArgumentsWithTwo) {
  const std::string cost = " --cost-ratio 0.1";
  for (const char* rate : {"1.2", "-0.2", "nan", "inf", "''", "0.5:0.6:0.7"})
    expect_refusal("predict --acceptance-rate " + std::string(rate) + cost, 2, "allowed:");
  expect_refusal("predict --rank-acceptance 0.7,,0.1 --cost-ratio 0.02", 2, "--rank-acceptance ''");
  expect_refusal("predict --acceptance-rate 1.2" + cost, 2,
                 "--acceptance-rate 1.2; allowed: numbers from 0 to 1");
  expect_refusal("predict --acceptance-rate 0.8 --speculation-length -1" + cost, 2,
                 "--speculation-length -1; allowed: integers from 0");
  expect_refusal("predict --acceptance-rate 0.8 --max-length -1" + cost, 2,
                 "--max-length -1; allowed");
  expect_refusal("predict --acceptance-rate 0.8 --max-length 2.5" + cost, 2,
                 "'2.5'; allowed: integers");
  expect_refusal("predict --acceptance-rate 0.8", 2, "give --cost-ratio");
  expect_refusal("predict" + cost, 2, "give --acceptance-rate");
  expect_refusal("predict --acceptance-rate 0.8 --trace x" + cost, 2, "contradict each other");
  expect_refusal("predict --acceptance-rate 0.8 --costs x" + cost, 2, "contradicts");
  expect_refusal("predict --acceptance-rate 0.8 --csv --json" + cost, 2, "contradict each other");
  expect_refusal("predict --acceptance-rate 0.8 --verify-cost-ratio 0" + cost, 2,
                 "--verify-cost-ratio 0; allowed");
  expect_refusal("predict --acceptance-rate 0.8 --overhead-ratio nan" + cost, 2,
                 "--overhead-ratio nan; allowed");
  expect_refusal("predict --acceptance-rate 0.8 --plot figure.gif" + cost, 2,
                 "ends in .pdf, .png or .svg");
  expect_refusal("predict --acceptance-rate 0.8 --bogus 1" + cost, 2, "--bogus");
}

TEST(ProgramPredict, RefusesBadFilesWithThree) {
  const std::string acceptance = "predict --acceptance-rate 0.8 ", cost = " --cost-ratio 0.1";
  const std::string folder = ::testing::TempDir() + "/empty_trace";
  make_folder(folder);
  write_file(folder + "/rounds.csv",
             "row_id,round,position,drafted,rows,depth,accepted,tested,emitted,next_kind\n");
  expect_refusal("predict --trace " + folder + "/rounds.csv" + cost, 3, "an empty trace");
  expect_refusal("predict --trace " + file_with("empty.csv", "") + cost, 3, "no header");
  expect_refusal("predict --trace /nowhere.csv" + cost, 3, "/nowhere.csv");
  expect_refusal(acceptance + "--costs " +
                     file_with("hole.csv",
                               "model,drafter,tree,verifier,regime,kind,rows,context,batch,ns,ns_"
                               "low,ns_high,n\nt,,,,,target,1,0,1,,,,9\n"),
                 3, "hole.csv:2: column 'ns': missing");
  const std::string p = file_with("p_sum.txt", "0.5 0.4\n"),
                    q = file_with("q_sum.txt", "0.5 0.5\n");
  expect_refusal("predict --p " + p + " --q " + q + cost, 3,
                 "p_sum.txt:1: 2 probabilities that sum to 0.9; allowed: a sum of 1");
}

/// Address space for the program, its libraries and three times the file; a hundred bytes a round
/// or a probability would not fit.
void expect_answer_within_memory(const std::string& arguments, std::size_t file_bytes) {
  const std::size_t kilobytes = 200'000 + 3 * file_bytes / 1024;
  const Outcome outcome =
      testing::run_shell("ulimit -v " + std::to_string(kilobytes) +
                         "; " SPECLAB_PROGRAM " predict --cost-ratio 0.1 " + arguments + " 2>&1");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
}

TEST(ProgramPredict, ReadsLongTracesInMemoryOfTheirSize) {
  SPECLAB_NEEDS_AN_ADDRESS_LIMIT();
  const std::string folder = ::testing::TempDir() + "/long_trace";
  make_folder(folder);
  std::string rounds =
      "row_id,round,position,drafted,rows,depth,accepted,tested,emitted,next_kind\n";
  for (int generation = 0; generation < 20'000; ++generation)
    for (int round = 0; round < 40; ++round)
      rounds += std::to_string(generation) + "," + std::to_string(round) + ",9,5,6,5," +
                ((generation + round) % 3 == 0 ? "5,5,6,bonus\n" : "1,2,2,recovered\n");
  write_file(folder + "/rounds.csv", rounds);
  expect_answer_within_memory("--trace " + folder + "/rounds.csv", rounds.size());
}

TEST(ProgramPredict, ReadsManyLawsInMemoryOfTheirSize) {
  SPECLAB_NEEDS_AN_ADDRESS_LIMIT();
  std::string laws;
  for (int prefix = 0; prefix < 400'000; ++prefix)
    laws += prefix % 3 == 0 ? "0 1 0 0 0 0\n" : "1 0 0 0 0 0\n";
  const std::string p = file_with("many_p.txt", laws),
                    q = file_with("many_q.txt",
                                  "0.5 0.5 0 0 0 0\n" + laws.substr(laws.find('\n') + 1));
  expect_answer_within_memory("--p " + p + " --q " + q, 2 * laws.size());
}

TEST(ProgramPredict, AnswersForTheLongestLength) {
  const Outcome outcome = run_program(
      "predict --acceptance-rate 0.999:0.99:1 --cost-ratio 0.0001:0.00005:0.0002 --max-length 4096 "
      "--csv");
  const analysis::Table csv = analysis::Table::parse(outcome.output, "csv");
  ASSERT_EQ(csv.size(), 4097U);
  EXPECT_EQ(csv.number(4096, "tokens_per_round_high"), 4097.0);
  EXPECT_NEAR(csv.number(4096, "tokens_per_round"), -std::expm1(4097 * std::log(0.999)) / 0.001,
              1e-9);
}

TEST(ProgramPredict, SaysWhatItCannotWriteWithEight) {
  expect_refusal("predict --acceptance-rate 0.8 --cost-ratio 0.1 --plot /nowhere/at/all/figure.svg",
                 8, "/nowhere/at/all/figure.svg: cannot write");
  expect_refusal("predict --acceptance-rate 0.8 --cost-ratio 0.1 --plot /proc/figure.svg", 8,
                 "/proc/figure.svg: cannot write");
  EXPECT_EQ(
      run_program("predict --acceptance-rate 0.8 --cost-ratio 0.1 >/dev/full 2>/dev/null").code, 8);
}

}  // namespace
}  // namespace speclab
