// A run that another process is measuring, looked at: what its journals hold is shown, and nothing
// of it is touched.
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/run/run_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "analysis/report/report.h"
#include "experiments/drivers/run/run_journals.h"
#include "experiments/drivers/workers/shard.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/same_files.h"

namespace speclab::experiments {
namespace {

namespace fs = std::filesystem;
using testing::SmallExperiment;
using testing::TemporaryFolder;

/// What every file beneath a folder says.
std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files[entry.path().string()] = read_file(entry.path().string());
  return files;
}

std::set<std::string> line_set_of(const std::string& path) {
  std::istringstream text(read_file(path));
  std::set<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.insert(line);
  return lines;
}

class PartialRun : public ::testing::Test {
 protected:
  CellCount look(const std::string& run, const TemporaryFolder& scratch) const {
    return write_partial_run(experiment_.folder(run), scratch.path(), experiment_.open_engines());
  }
  bool is_open(const std::string& run) const { return is_unfinished(experiment_.folder(run)); }
  /// Its journals hold more than its tables.
  bool is_ahead(const std::string& run) const {
    const TemporaryFolder scratch(testing::memory_folder());
    look(run, scratch);
    return !has_tables_of(experiment_.folder(run), scratch.path());
  }

  /// Measures the plan into `run`, and calls `meet` when a generation is in hand and the journal
  /// holds the first rows; a sample is decoded twice.
  void run_and_meet(const std::string& run,
                    const std::function<void(const RunLog& log)>& meet) const {
    experiment_.prepare(plan_, run);
    experiment_.engines().on_generation = [this, run, meet] {
      if (const RunLog log(plan_, experiment_.folder(run), Journal::Tail::left);
          !log.rows().empty())
        meet(log);
    };
    experiment_.run(plan_, run);
  }

  /// A report of what stands in the folder, with this opening.
  std::string page(const std::string& folder, const std::string& opening) const {
    analysis::write_report(folder, {.plotly_js = plotly_.file("plotly.js", "/* plotly */"),
                                    .static_figures = false,
                                    .opening = opening});
    return read_file(folder + "/report.html");
  }

  const SmallExperiment experiment_{testing::memory_folder()};
  const TemporaryFolder plotly_{testing::memory_folder()};
  const Plan plan_ = experiment_.plan();
  const RunOutcome outcome_ = experiment_.run(plan_, "whole");
};

TEST_F(PartialRun, ThatIsBeingMeasuredIsWhatItsJournalHoldsAndIsLeftAlone) {
  for (const std::size_t looked_at : {1, 7, 19, 23}) {
    const std::string run = "run" + std::to_string(looked_at);
    bool looked = false;
    run_and_meet(run, [&](const RunLog& log) {
      if (log.rows().size() != looked_at || std::exchange(looked, true)) return;
      const TemporaryFolder scratch(testing::memory_folder());
      const auto before = contents(experiment_.folder(run));
      EXPECT_TRUE(is_ahead(run));
      EXPECT_FALSE(before.contains(experiment_.folder(run) + "/manifest.toml"));
      const CellCount cells = look(run, scratch);
      EXPECT_EQ(contents(experiment_.folder(run)), before);
      EXPECT_EQ(cells.all, plan_.cells.size());
      EXPECT_LT(cells.done, plan_.cells.size());
      const std::set<std::string> rows = line_set_of(scratch.path("rows.csv")),
                                  whole = line_set_of(experiment_.folder("whole") + "/rows.csv");
      EXPECT_EQ(rows.size(), looked_at + 1) << "with the header";
      EXPECT_TRUE(std::ranges::includes(whole, rows));
      EXPECT_NE(page(scratch.path(), "Said first. ").find("<p class=\"answer\">Said first. "),
                std::string::npos);
    });
    testing::expect_files_of(experiment_, "whole", run);
    EXPECT_FALSE(is_open(run));
    EXPECT_TRUE(looked) << looked_at;
  }
}

TEST_F(PartialRun, CountsTheCellsOfWhichNothingIsLeft) {
  std::vector<std::size_t> done;
  run_and_meet("run", [&](const RunLog& log) {
    const TemporaryFolder scratch(testing::memory_folder());
    done.push_back(look("run", scratch).done);
    std::map<std::size_t, std::size_t> rows_of_cell;
    for (const auto& [row, entry] : log.rows())
      ++rows_of_cell[plan_.generations[static_cast<std::size_t>(row)].cell];
    EXPECT_EQ(done.back(), static_cast<std::size_t>(
                               std::ranges::count(rows_of_cell, plan_.prompts.size(),
                                                  [](const auto& cell) { return cell.second; })));
  });
  EXPECT_EQ(done.front(), 0u);
  EXPECT_EQ(done.back(), plan_.cells.size() - 1);
}

TEST_F(PartialRun, OfShardsIsTheUnionOfTheirJournalsAndUnfinishedLinesStay) {
  experiment_.prepare(plan_, "run");
  const auto hands = dealt(blocks_of(plan_, plan_.order), 2);
  for (int shard = 0; shard < 2; ++shard)
    experiment_.measure(plan_, "run", shard,
                        {hands[static_cast<std::size_t>(shard)].begin(),
                         hands[static_cast<std::size_t>(shard)].begin() + 3});
  std::ofstream(shard_folder(experiment_.folder("run"), 1) + "/journal", std::ios::app)
      << "0123456789abcdef row 1 half";
  const auto before = contents(experiment_.folder("run"));
  const TemporaryFolder scratch(testing::memory_folder());
  EXPECT_TRUE(is_ahead("run"));
  look("run", scratch);
  EXPECT_EQ(line_set_of(scratch.path("rows.csv")).size(), 7u);
  EXPECT_EQ(contents(experiment_.folder("run")), before);
}

TEST_F(PartialRun, IsAheadOfItsTablesUntilTheyAreWritten) {
  EXPECT_FALSE(is_open("nowhere"));
  EXPECT_FALSE(is_open("whole"));
  EXPECT_THROW(run_and_meet("run",
                            [](const RunLog& log) {
                              if (log.rows().size() == 9) throw InterruptedError("stop");
                            }),
               InterruptedError);
  experiment_.engines().on_generation = [] {};
  const std::string folder = experiment_.folder("run");
  EXPECT_TRUE(is_open("run"));
  EXPECT_FALSE(is_ahead("run")) << "what ends a run early writes its tables";
  fs::copy(experiment_.folder("whole") + "/SHA256SUMS", folder + "/SHA256SUMS",
           fs::copy_options::overwrite_existing);
  EXPECT_TRUE(is_ahead("run")) << "tables of another moment";
  fs::remove(folder + "/SHA256SUMS");
  EXPECT_TRUE(is_ahead("run")) << "as a process that was killed leaves it";
}

TEST_F(PartialRun, IsRefusedWhereTheJournalHoldsLessThanTheTables) {
  const std::string journal = read_file(experiment_.folder("whole") + "/journal");
  write_file(experiment_.folder("whole") + "/journal",
             journal.substr(0, journal.rfind(" row ") - 16));
  ASSERT_TRUE(is_open("whole"));
  const TemporaryFolder scratch(testing::memory_folder());
  try {
    look("whole", scratch);
    FAIL() << "shown";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("rows.csv: has 24 generations, the journals hold 23"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(PartialRun, HasNothingToShowBeforeTheFirstGeneration) {
  experiment_.prepare(plan_, "run");
  const TemporaryFolder scratch(testing::memory_folder());
  try {
    look("run", scratch);
    FAIL() << "shown";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("no measurement for a report is there yet (" +
                        std::to_string(plan_.pilots.size()) + " of "),
              std::string::npos)
        << error.what();
  }
}

TEST_F(PartialRun, IsRefusedWhereThePromptsAreOthersThanWhenItWasBegun) {
  experiment_.prepare(plan_, "run");
  std::string prompts = read_file(experiment_.folder("core") + "/chat.toml");
  prompts.replace(prompts.find("aaaaaaaa"), 8, "bbbbbbbb");
  write_file(experiment_.folder("core") + "/chat.toml", prompts);
  const TemporaryFolder scratch(testing::memory_folder());
  EXPECT_THROW(look("run", scratch), DataError);
}

TEST_F(PartialRun, MakesAPageThatIsKnownAsSuch) {
  const std::string whole = page(experiment_.folder("whole"), "");
  EXPECT_FALSE(analysis::is_partial_report(experiment_.folder("whole") + "/report.html"));
  page(experiment_.folder("whole"),
       std::string(analysis::kPartialOpening) + "3 of 6 cells are complete. ");
  EXPECT_TRUE(analysis::is_partial_report(experiment_.folder("whole") + "/report.html"));
  EXPECT_EQ(page(experiment_.folder("whole"), ""), whole);
}

TEST_F(PartialRun, OfTheOtherKindsCountsTheCellsThatDraft) {
  for (const std::string kind : {"rule_atlas", "drafter_acceptance"}) {
    const Plan plan = experiment_.plan({"experiment.kind=" + kind, "axes.drafter=bigram",
                                        "axes.temperature=[0.5, 0.6, 0.7, 0.8]"});
    int num_generations = 0;
    bool looked = false;
    experiment_.engines().on_generation = [&] {
      if (++num_generations != 10) return;  // of the third of four cells, four prompts each
      const TemporaryFolder scratch(testing::memory_folder());
      const CellCount cells = look(kind, scratch);
      EXPECT_EQ(cells.done, 2u) << kind;
      EXPECT_EQ(cells.all, 4u) << kind;
      looked = true;
    };
    experiment_.run(plan, kind);
    EXPECT_TRUE(looked) << kind;
  }
}

}  // namespace
}  // namespace speclab::experiments
