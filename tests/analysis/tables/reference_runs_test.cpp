// Every frozen run: its counters, row by row, are what its rounds add up to, and its cells what its
// rounds say. Every committed run: its manifest is whole.

#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/tables/run_folder.h"
#include "analysis/tables/table.h"

namespace speclab::analysis {
namespace {

std::vector<std::string> runs_with_rounds() {
  std::vector<std::string> folders;
  for (const auto& entry :
       std::filesystem::directory_iterator(SPECLAB_SOURCE_DIR "/tests/golden/runs"))
    if (std::filesystem::exists(entry.path() / "rounds.csv"))
      folders.push_back(entry.path().string());
  return folders;
}

struct Counts {
  std::int64_t rounds = 0, accepted = 0, tested = 0, drafted = 0, drafting = 0, tokens = 0;
};

/// From rounds.csv alone but for the tokens, which a stop rule may cut.
std::map<std::string, Counts> counts_by_cell(const analysis::Run& run) {
  std::map<std::string, Counts> cells;
  for (const Generation& g : run.generations)
    if (!g.axes.is_plain()) cells[g.cell_id].tokens += g.output_tokens;
  for (const Round& round : run.rounds) {
    Counts& counts = cells.at(run.generations[run.generation_of_row.at(round.row_id)].cell_id);
    ++counts.rounds;
    counts.accepted += round.accepted;
    counts.tested += round.tested;
    counts.drafted += round.drafted;
    counts.drafting += round.drafted > 0;
  }
  return cells;
}

void expect_ratio(const Table& cells, std::size_t row, const char* column, std::int64_t numerator,
                  std::int64_t denominator) {
  const auto written = cells.optional_number(row, column);
  ASSERT_EQ(written.has_value(), denominator > 0) << column;
  if (!written) return;
  EXPECT_DOUBLE_EQ(*written, static_cast<double>(numerator) / static_cast<double>(denominator))
      << column;
}

TEST(ReferenceRuns, HaveTheConfigsTheyWereMadeWith) {
  int manifests = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SPECLAB_SOURCE_DIR "/results/reference"))
    if (entry.path().extension() == ".toml") {
      EXPECT_NO_THROW(read_manifest(entry.path().string())) << entry.path();
      ++manifests;
    }
  EXPECT_GE(manifests, 20);
}

TEST(GoldenRuns, SayInRowsAndCellsWhatTheirRoundsSay) {
  std::vector<std::string> folders = runs_with_rounds();
  ASSERT_GE(folders.size(), 5u);
  folders.push_back(SPECLAB_SOURCE_DIR "/results/reference/quickstart_cpu");
  for (const std::string& folder : folders) {
    SCOPED_TRACE(folder);
    const analysis::Run run =
        read_run(folder);  // throws where a row's counters are not the sums over its rounds
    EXPECT_FALSE(run.predictions.empty());
    const Table cells = Table::read(folder + "/cells.csv");
    std::map<std::string, Counts> counts = counts_by_cell(run);
    for (std::size_t row = 0; row < cells.size(); ++row) {
      const auto found = counts.find(cells.text(row, "cell_id"));
      ASSERT_EQ(found == counts.end(), cells.text(row, "drafter") == "none")
          << cells.text(row, "cell_id");
      if (found == counts.end()) continue;
      const Counts& c = found->second;
      expect_ratio(cells, row, "acceptance_rate", c.accepted, c.tested);
      expect_ratio(cells, row, "accepted_fraction", c.accepted, c.drafted);
      expect_ratio(cells, row, "tokens_per_round", c.tokens, c.rounds);
      expect_ratio(cells, row, "drafting_fraction", c.drafting, c.rounds);
      counts.erase(found);
    }
    EXPECT_TRUE(counts.empty()) << "a cell of rows.csv that cells.csv lacks";
  }
}

}  // namespace
}  // namespace speclab::analysis
