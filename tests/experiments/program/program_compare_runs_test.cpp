// `speclab compare` of two run folders, as a user meets it.

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "sim/system/files.h"
#include "tests/analysis/support/synthetic_run.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using analysis::testing::ScratchFolder;
using analysis::testing::SyntheticRun;
using analysis::testing::write_synthetic_run;
using testing::expect_refusal;
using testing::Outcome;
using testing::run_program;

/// One drafter at temperature 0 over 56 prompts.
SyntheticRun options_of(double acceptance_rate) {
  return {.temperatures = {0.0},
          .drafters = {{"bigram", acceptance_rate}},
          .prompts_per_category = 8,
          .repetitions = 2};
}

class CompareRuns : public ::testing::Test {
 protected:
  void write(const std::string& name, const SyntheticRun& options) {
    write_synthetic_run(options, scratch_.file(name));
  }
  void edit(const std::string& file, const std::string& from, const std::string& to) {
    std::string content = read_file(scratch_.file(file));
    const std::size_t at = content.find(from);
    ASSERT_NE(at, std::string::npos) << file << " does not contain " << from;
    write_file(scratch_.file(file), content.replace(at, from.size(), to));
  }
  Outcome compare(const std::string& more = "") {
    return run_program("compare " + scratch_.file("base") + " " + scratch_.file("head") + " " +
                       more + " 2>&1");
  }
  void expect(int code, const std::string& text, const std::string& more = "") {
    const Outcome outcome = compare(more);
    EXPECT_EQ(outcome.code, code) << outcome.output;
    EXPECT_NE(outcome.output.find(text), std::string::npos) << outcome.output << "\nlacks " << text;
  }

  ScratchFolder scratch_;
};

TEST_F(CompareRuns, OfTheSameRunIsTheSame) {
  for (const char* name : {"base", "head"}) write(name, options_of(0.6));
  expect(0, "same machine class, number format, drafters and seed: counts are gated exactly");
  expect(0, "SAME: every count is what the base has");
}

TEST_F(CompareRuns, OfARunThatMeasuredNothingIsInvalid) {
  for (const char* name : {"base", "head"}) write(name, options_of(0.6));
  for (const char* name : {"rows.csv", "times.csv", "rounds.csv"})
    std::filesystem::remove(scratch_.file("head/") + name);
  expect(12, "nothing was measured before the run was interrupted");
  write_file(scratch_.file("head/failures.csv"), "row_id\n");
  expect(12, "every generation failed, and failures.csv says why");
}

TEST_F(CompareRuns, OfDraftsThatWereNotMeasuredIsInvalid) {
  for (const std::string name : {"base", "head"}) {
    std::filesystem::create_directories(scratch_.file(name));
    for (const char* file : {"/manifest.toml", "/acceptance.csv"})
      std::filesystem::copy_file(
          std::string(SPECLAB_SOURCE_DIR "/tests/golden/runs/drafter_acceptance") + file,
          scratch_.file(name) + file);
  }
  expect(0, "SAME");
  std::filesystem::remove(scratch_.file("base/acceptance.csv"));
  expect(12, "no acceptance.csv: nothing was measured before the run was interrupted");
  expect(12, "no acceptance.csv", "--json");
}

TEST_F(CompareRuns, FindsADropAndARise) {
  write("base", options_of(0.6));
  write("head", options_of(0.53));
  expect(10, "SLOW: the head accepts less");
  std::filesystem::remove_all(scratch_.file("base"));
  write("base", options_of(0.45));
  expect(0, "FAST: the head accepts more");
}

TEST_F(CompareRuns, LeavesOpenWhatFewPromptsCannotTell) {
  for (const char* name : {"base", "head"})
    write(name, {.temperatures = {0.0},
                 .drafters = {{"bigram", std::string(name) == "base" ? 0.6 : 0.59}},
                 .prompts_per_category = 1,
                 .repetitions = 1});
  expect(11, "AMBIGUOUS: neither a drop nor its absence is shown");
  edit("head/manifest.toml", "a made-up machine", "another machine");
  expect(11, "machine: a made-up machine, another machine");
  expect(11, "a drop of 0.02 is neither shown nor excluded");
  expect(0, "SAME: no rate changed beyond chance", "--largest-drop 0.9");
}

TEST_F(CompareRuns, RefusesOtherWork) {
  write("base", options_of(0.6));
  write("head", {.temperatures = {0.0},
                 .drafters = {{"bigram", 0.6}},
                 .prompts_per_category = 7,
                 .repetitions = 2});
  expect(12,
         "224 rows of the base and 196 of the head, of which 196 are of the same cell, prompt and "
         "repetition");
  expect(12, "INVALID: the runs did not do the same work");
  write("head", options_of(0.6));
  edit("head/manifest.toml", "flags = \"-O3\"", "flags = \"not recorded\"");
  expect(12, "head: its manifest does not say flags; measure it again");
}

TEST_F(CompareRuns, RefusesWhatIsNoRunOfGenerationsOrIsBroken) {
  write("base", options_of(0.6));
  const std::string base = scratch_.file("base");
  expect_refusal("compare " + base + " HEAD", 2,
                 "is a run folder, but HEAD is not (no manifest.toml)");
  write("head", {.kind = "cost_surface", .temperatures = {0.0}, .repetitions = 1});
  expect(2,
         "a run of kind 'cost_surface'; compare takes runs of kind decoding or drafter_acceptance");
  write("head", options_of(0.6));
  edit("head/manifest.toml", "blas = \"none\"\n", "");
  expect(3, "provenance.blas is missing or empty");
  write("head", options_of(0.6));
  edit("head/rows.csv", ",length,", ",tired,");
  expect(3, "'tired'; allowed: length, end_of_sequence, stop_string, time");
}

TEST_F(CompareRuns, PrintsOneJsonObject) {
  write("base", options_of(0.6));
  write("head", options_of(0.53));
  const auto json = nlohmann::json::parse(
      run_program("compare --json " + scratch_.file("base") + " " + scratch_.file("head")).output);
  EXPECT_EQ(json.at("verdict"), "SLOW");
  EXPECT_EQ(json.at("is_exact"), true);
  ASSERT_EQ(json.at("cells").size(), 2u);
  const auto& rate = json.at("cells")[1].at("acceptance_rate");
  EXPECT_NEAR(rate.at("difference").get<double>(),
              rate.at("head").get<double>() - rate.at("base").get<double>(), 1e-12);
  EXPECT_LT(rate.at("difference_high").get<double>(), 0);
  EXPECT_TRUE(json.at("cells")[0].at("acceptance_rate").is_null()) << "plain decoding";
}

}  // namespace
}  // namespace speclab
