// Tables over ways of decoding: the guide's cases, rows on file, and their summary.

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "experiments/drivers/modes/mode_summary.h"
#include "experiments/drivers/reproduce/measured/measured_table.h"
#include "experiments/drivers/reproduce/measured/mode_tables.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::experiments {
namespace {

using analysis::ModeRow;
using analysis::read_modes;

void write_modes(std::span<const ModeRow> rows, const std::string& path) {
  write_file(path, analysis::modes_table().csv(rows));
}

ModeRow row_of(const std::string& name, const std::string& prompt, double seconds,
               const std::string& hash = "same", std::int64_t tokens = 10) {
  return {.model = "m",
          .name = name,
          .keys = name == "plain" ? "" : "num_beams=4",
          .mode = "beam_search",
          .prompt = prompt,
          .tokens = tokens,
          .steps = name == "plain" ? tokens : 5,
          .rows = 20,
          .drafted = name == "plain" ? 0 : 16,
          .accepted = name == "plain" ? 0 : 4,
          .seconds = seconds,
          .predicted_seconds = name == "plain" ? 3 * seconds : 2 * seconds,
          .output_hash = hash,
          .text = "a, \"b\"",
          .machine = "a machine",
          .revision = "0123"};
}

/// Defect: a case of the guide is decoded in another mode than it is there for.
TEST(ModeTables, GuideCasesDecodeInTheirModes) {
  const std::map<std::string, std::string> of_other_name{{"assisted_sample", "assisted_generation"},
                                                         {"prompt_lookup", "assisted_generation"}};
  std::size_t checked = 0;
  for (const GuideCase& guide : guide_cases(Papers())) {
    const std::string& name = guide.decoding.name;
    const GenerationPlan plan = case_plan(guide.decoding, {.model = "m"}, 7);
    EXPECT_EQ(plan.mode.name, of_other_name.contains(name) ? of_other_name.at(name) : name);
    EXPECT_EQ(
        plan.mode.searches() ? plan.decoding.do_sample : plan.decoding.sampling.temperature > 0,
        name.ends_with("sample"))
        << name;
    EXPECT_TRUE(plan.decoding.stop.ignore_eos) << name;
    ++checked;
  }
  EXPECT_EQ(checked, 9u);
}

/// Defect: a column is written under another's name, or a text with quotes ends a field.
TEST(ModeTables, RowsAreReadAsTheyWereWritten) {
  const speclab::testing::TemporaryFolder folder;
  const std::string path = modes_file(folder.path()), again = folder.path("again.csv");
  write_modes(std::vector{row_of("plain", "p", 2), row_of("drafted", "p", 1)}, path);
  const std::vector<ModeRow> rows = read_modes(path);
  write_modes(rows, again);
  EXPECT_EQ(read_file(again), read_file(path));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].text, "a, \"b\"");
  EXPECT_EQ(rows[1].accepted, 4);
  EXPECT_EQ(rows[1].predicted_seconds, 2);
  write_modes({}, path);
  EXPECT_THROW(read_modes(path), DataError);
}

/// Defect: a speed-up over the wrong case, or beams that differ count as equal.
TEST(ModeTables, SummaryComparesPromptByPrompt) {
  const std::vector<ModeSummary> summaries =
      summarise({row_of("plain", "p", 4), row_of("drafted", "p", 2), row_of("drafted", "q", 1, "x"),
                 row_of("plain", "q", 4, "same", 20)},
                "plain");
  ASSERT_EQ(summaries.size(), 2u);
  EXPECT_FALSE(summaries[0].speedup);
  EXPECT_FALSE(summaries[0].accepted_fraction);
  const ModeSummary& drafted = summaries[1];
  EXPECT_DOUBLE_EQ(drafted.speedup.value().value, 2);
  EXPECT_DOUBLE_EQ(drafted.predicted_speedup.value(), 3);
  EXPECT_DOUBLE_EQ(drafted.tokens_per_s.value, 20.0 / 3);
  EXPECT_DOUBLE_EQ(drafted.tokens_per_step, 2);
  EXPECT_DOUBLE_EQ(drafted.rows_per_step, 4);
  EXPECT_DOUBLE_EQ(drafted.accepted_fraction.value(), 0.25);
  EXPECT_EQ(drafted.same_texts, 1);
  EXPECT_EQ(drafted.prompts, 2);
}

/// Defect: the appendix's steps are taken of another length's inclusion, or the beams of the draft
/// are not among its rows.
TEST(ModeTables, BeamsStandBesideTheirAppendix) {
  const speclab::testing::TemporaryFolder folder;
  const auto row = [](const std::string& name, std::int64_t steps) {
    ModeRow result = row_of(name, "p", 2);
    result.steps = steps;
    return result;
  };
  write_modes(std::vector{row("plain", 10), row("prompt_lookup:1", 8), row("prompt_lookup:2", 9),
                          row("ngram:4x1", 8)},
              modes_file(folder.path()));
  std::map<std::string, double> found;
  for (const Comparison& shown : leviathan_beam(Papers(), {{"leviathan_beam", folder.path()}}).rows)
    if (shown.quantity.starts_with("appendix_"))
      found[shown.setting.substr(shown.setting.find("drafts=") + 7) + " " + shown.quantity] =
          shown.ours;
  EXPECT_EQ(found.size(), 8u) << "of two chains and no tree";
  EXPECT_DOUBLE_EQ(found.at("prompt_lookup:1 appendix_tokens_per_step"), 1.25);
  EXPECT_DOUBLE_EQ(found.at("prompt_lookup:2 appendix_tokens_per_step"), 1.0 + 0.25 + 0.0625);
  EXPECT_DOUBLE_EQ(found.at("prompt_lookup:2 appendix_rows_per_step"), 4 + 2 * 4);
  EXPECT_DOUBLE_EQ(found.at("prompt_lookup:2 appendix_operations_factor"), 12 / (4 * 1.3125));
  EXPECT_DOUBLE_EQ(found.at("prompt_lookup:2 appendix_speedup_bound"), 1.3125);
}

TEST(ModeTables, SummaryRefusesRowsThatDoNotMatch) {
  EXPECT_THROW(summarise({row_of("drafted", "p", 2)}, "plain"), DataError);
  EXPECT_THROW(summarise({row_of("plain", "p", 2), row_of("drafted", "q", 2)}, "plain"), DataError);
}

/// Defect: rows of several measurements, or counts that no decoding has, make a table.
TEST(ModeTables, RowsOfSeveralMeasurementsAreRefused) {
  const speclab::testing::TemporaryFolder folder;
  const std::string path = modes_file(folder.path());
  const auto error = [&](const std::function<void(ModeRow&)>& change) {
    std::vector<ModeRow> rows{row_of("plain", "p", 2), row_of("drafted", "p", 2),
                              row_of("drafted", "q", 2)};
    change(rows[2]);
    write_modes(rows, path);
    try {
      read_modes(path);
    } catch (const DataError& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  EXPECT_EQ(error([](ModeRow&) {}), "");
  const std::map<std::string, std::function<void(ModeRow&)>> changes{
      {"accepted", [](ModeRow& row) { row.accepted = 17; }},
      {"rows", [](ModeRow& row) { row.rows = 4; }},
      {"tokens", [](ModeRow& row) { row.tokens = 11; }},
      {"model", [](ModeRow& row) { row.model = "other"; }},
      {"machine", [](ModeRow& row) { row.machine = "other"; }},
      {"revision", [](ModeRow& row) { row.revision = "other"; }},
      {"keys", [](ModeRow& row) { row.keys = "num_beams=5"; }},
      {"mode", [](ModeRow& row) { row.mode = "sample"; }},
      {"prompt", [](ModeRow& row) { row.prompt = "p"; }}};
  for (const auto& [column, change] : changes)
    EXPECT_NE(error(change).find(column), std::string::npos) << column << ": " << error(change);
}

}  // namespace
}  // namespace speclab::experiments
