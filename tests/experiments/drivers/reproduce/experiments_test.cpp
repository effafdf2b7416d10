#include "experiments/drivers/reproduce/tables/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "analysis/tables/table.h"
#include "experiments/papers/embedded_papers.h"
#include "sim/analytic/roofline.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

constexpr const char* kFolder = SPECLAB_SOURCE_DIR "/experiments/papers";

Reproduction judged(const PaperExperiment& experiment, const Papers& papers) {
  Reproduction reproduction = experiment.run(papers);
  judge(reproduction, papers.slips(experiment.id));
  return reproduction;
}

int count_of(const Reproduction& reproduction, const std::string& quantity) {
  return static_cast<int>(std::ranges::count(reproduction.rows, quantity, &Comparison::quantity));
}

TEST(PaperExperiments, AllAgreeWithThePapers) {
  for (const PaperExperiment& experiment : paper_experiments()) {
    const Reproduction reproduction = judged(experiment, Papers());
    for (const Comparison& row : reproduction.rows)
      EXPECT_NE(row.verdict, Verdict::disagrees)
          << experiment.id << " " << row.setting << " " << row.quantity << ": " << row.ours
          << " against " << row.reference.value_or(-1) << row.note;
    EXPECT_GT(count_verdicts(reproduction.rows).agrees(), 0) << experiment.id;
    EXPECT_FALSE(reproduction.figures.empty()) << experiment.id;
  }
}

TEST(PaperExperiments, HoldAllRowsThatMustBeReproduced) {
  const Papers papers;
  EXPECT_EQ(count_verdicts(judged(paper_experiment("leviathan_table_1"), papers).rows).agrees(),
            24);
  EXPECT_EQ(count_of(judged(paper_experiment("leviathan_figure_2"), papers), "tokens_per_round"),
            45);
  const Reproduction figure_3 = judged(paper_experiment("leviathan_figure_3"), papers);
  EXPECT_EQ(count_of(figure_3, "optimal_speculation_length"), 36);
  EXPECT_EQ(count_of(figure_3, "acceptance_rate_of_step"), 52);
  for (const Comparison& row : figure_3.rows)
    if (row.quantity == "acceptance_rate_of_step") {
      EXPECT_LE(std::abs(row.ours - *row.reference), 1e-9);
    }
  EXPECT_EQ(count_verdicts(judged(paper_experiment("leviathan_figure_4"), papers).rows).agrees(),
            90);
  EXPECT_EQ(
      count_of(judged(paper_experiment("sequoia"), papers), "sequoia_optimal_tokens_per_round"),
      58);
  EXPECT_EQ(count_verdicts(judged(paper_experiment("hf_schedule"), papers).rows).agrees(), 48 + 7);
}

/// Chains and trees, on the example machine and for named models on every named device: a row each.
TEST(PaperExperiments, GiveTheCrossoverOfChainsAndTreesForNamedMachines) {
  const Reproduction crossover = judged(paper_experiment("batch_crossover"), Papers());
  EXPECT_EQ(count_of(crossover, "crossover_batch") +
                count_of(crossover, "predicted_batch_speedup_at_16384"),
            8 * 3 + 3 * static_cast<int>(sim::device_names().size()) * 2 * 2);
  for (const Comparison& row : crossover.rows)
    if (row.quantity == "predicted_batch_speedup_at_16384") {
      EXPECT_GT(row.ours, 1.0) << row.setting;
    }
  const auto batch_at = [&](const std::string& setting) {
    const auto row = std::ranges::find(crossover.rows, setting, &Comparison::setting);
    return row == crossover.rows.end() ? 0.0 : row->ours;
  };
  EXPECT_GT(batch_at("acceptance_rate=0.8;tree=4;context=0"),
            batch_at("acceptance_rate=0.8;tree=2x2x2x2;context=0"))
      << "a tree fills the device sooner";
  for (const std::string& device : sim::device_names())
    EXPECT_GT(batch_at("acceptance_rate=0.8;tree=2x2x2x2;context=0;target=llama-3-8b;draft=llama-3."
                       "2-1b;device=" +
                       device),
              1.0)
        << device;
}

TEST(PaperExperiments, NameTheThreeExceptionsOfTableFour) {
  const Reproduction table_4 = judged(paper_experiment("leviathan_table_4"), Papers());
  std::set<std::string> slips;
  for (const Comparison& row : table_4.rows)
    if (row.verdict == Verdict::input_rounding)
      slips.insert(row.note.substr(0, row.note.find(',')));
  EXPECT_EQ(slips, (std::set<std::string>{"exp_en_de_base_t1", "exp_en_de_large_t1",
                                          "exp_cnn_dm_large_t1"}));
}

/// Only what a source prints counts as printed.
TEST(PaperExperiments, CountPrintedAndRecomputedNumbersApart) {
  const VerdictCounts table_1 =
      count_verdicts(judged(paper_experiment("leviathan_table_1"), Papers()).rows);
  EXPECT_EQ(table_1.agrees_printed, 12);
  EXPECT_EQ(table_1.agrees_recomputed, 12);
  const VerdictCounts table_4 =
      count_verdicts(judged(paper_experiment("leviathan_table_4"), Papers()).rows);
  EXPECT_EQ(table_4.agrees_printed, 12 - 3);
  EXPECT_EQ(table_4.input_rounding, 3);
  EXPECT_EQ(
      count_verdicts(judged(paper_experiment("leviathan_table_5"), Papers()).rows).agrees_printed,
      4);
  EXPECT_EQ(count_verdicts(judged(paper_experiment("sequoia"), Papers()).rows).agrees_printed, 0);
}

TEST(PaperExperiments, SlipsBelongToAnExperiment) {
  const analysis::Table slips = Papers().table("slips.csv");
  std::set<std::string> names;
  for (std::size_t row = 0; row < slips.size(); ++row) {
    EXPECT_NO_THROW(paper_experiment(slips.text(row, "experiment")));
    EXPECT_TRUE(names.insert(slips.text(row, "name")).second ||
                slips.text(row, "name") == "letters")
        << slips.text(row, "name");
  }
}

TEST(PaperExperiments, TheFolderIsWhatIsCompiledIn) {
  std::set<std::string> files;
  for (const EmbeddedPaper& paper : embedded_papers()) {
    EXPECT_EQ(read_file(std::string(kFolder) + "/" + std::string(paper.file)), paper.content)
        << paper.file;
    files.insert(std::string(paper.file));
  }
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".csv") {
      EXPECT_TRUE(files.contains(entry.path().filename().string())) << entry.path();
    }
}

/// A copy of the papers' folder with one change.
std::string folder_with(const std::string& file, const std::string& from, const std::string& to) {
  const std::string folder = ::testing::TempDir() + "/papers_changed";
  std::filesystem::remove_all(folder);
  std::filesystem::copy(kFolder, folder);
  std::string content = read_file(folder + "/" + file);
  const std::size_t at = content.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  write_file(folder + "/" + file, content.replace(at, from.size(), to));
  return folder;
}

struct Change {
  const char *experiment, *file, *from, *to;
};

/// A value that is off by a little more than its tolerance is found in every experiment.
TEST(PaperExperiments, DisagreeWithAChangedNumber) {
  const Change changes[] = {
      {"leviathan_table_1", "leviathan_table1.csv", ",1.53,", ",1.54,"},
      {"leviathan_table_4", "leviathan_table4.csv", ",printed,3.2,", ",printed,3.3,"},
      {"leviathan_table_4", "leviathan_table4.csv", ",recomputed,9,", ",recomputed,8,"},
      {"leviathan_table_4", "leviathan_table4.csv", ",printed,1.6,0.1,",
       ",printed,1.5,0.1,"},  // the slip is gone: the list is stale
      {"leviathan_table_5", "leviathan_table5.csv", ",8,0.015,4.9,", ",8,0.015,5.0,"},
      {"leviathan_table_5", "leviathan_table5.csv", ",0.649468459066018,", ",0.649468462066018,"},
      {"leviathan_figure_2", "leviathan_fig2.csv", ",4.68559,", ",4.685590000005,"},
      {"leviathan_figure_3", "leviathan_fig3.csv", "0.01,grid,0.50,5,", "0.01,grid,0.50,6,"},
      {"leviathan_figure_3", "leviathan_fig3.csv", ",0.518310628837475,", ",0.518310631837475,"},
      {"leviathan_figure_4", "leviathan_fig4.csv", ",1.62633359354671,", ",1.62633359355671,"},
      {"leviathan_figure_5", "leviathan_fig5.csv", "draft_decoder_blocks_count,28,",
       "draft_decoder_blocks_count,27,"},
      {"chen_figure_1", "chen_table1.csv", ",0.711176461556896,", ",0.711176461656896,"},
      {"specinfer", "specinfer_table3.csv", ",gain_recomputed_ratio,1.27272727272727,",
       ",gain_recomputed_ratio,1.27272728272727,"},
      {"specinfer", "tree_examples.csv", ",3.414997305,", ",3.414997306,"},
      {"sequoia", "sequoia_dp_values.csv", ",3.664874917,", ",3.664874918,"},
      {"sequoia", "hardware_aware_examples.csv", ",10,4,0,", ",10,5,0,"},
      {"hf_schedule", "hf_heuristic_stationary.csv", ",2.27290715,", ",2.27291015,"},
      {"ntt_metrics", "ntt_assisted_generation.csv", "round_hit_rate,0.23880597014925373",
       "round_hit_rate,0.23880597024925373"},
      {"batch_crossover", "batch_examples.csv", ",2.02668810289389,", ",2.02668810299389,"},
      {"metric_crosswalk", "metric_examples.csv", ",2.92,0.005,", ",2.93,0.005,"}};
  std::set<std::string> changed;
  for (const Change& change : changes) {
    const Reproduction reproduction =
        judged(paper_experiment(change.experiment),
               Papers(folder_with(change.file, change.from, change.to)));
    EXPECT_GT(count_verdicts(reproduction.rows).disagrees, 0)
        << change.experiment << ": " << change.from << " -> " << change.to;
    changed.insert(change.experiment);
  }
  EXPECT_EQ(changed.size(), paper_experiments().size()) << "each experiment can fail";
}

TEST(PaperExperiments, RefuseFilesThatAreNotWhole) {
  EXPECT_THROW(paper_experiment("sequoia").run(Papers(folder_with(
                   "sequoia_dp_values.csv", "specinfer_cip_greedy,1,", "unheard_of,1,"))),
               DataError);
  EXPECT_THROW(
      paper_experiment("leviathan_table_1")
          .run(Papers(folder_with("leviathan_table1.csv", "operations_factor", "guesses"))),
      DataError);
  EXPECT_THROW(
      paper_experiment("specinfer")
          .run(Papers(folder_with("specinfer_table1.csv", "greedy,cip,2,", "greedy,cip,3,"))),
      DataError);
  EXPECT_THROW(paper_experiment("leviathan_figure_2").run(Papers("/nowhere")), DataError);
}

TEST(PaperExperiments, ListTheirNamesForAnUnknownOne) try {
  paper_experiment("leviathan_table_9");
  FAIL();
} catch (const ConfigError& error) {
  EXPECT_NE(std::string(error.what()).find("leviathan_figure_3"), std::string::npos);
}

}  // namespace
}  // namespace speclab::experiments
