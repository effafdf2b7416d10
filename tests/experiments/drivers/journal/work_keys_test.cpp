#include "experiments/drivers/journal/work_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

using testing::SmallExperiment;

std::set<std::string> row_keys(const Plan& plan) {
  const WorkKeys keys(plan);
  std::set<std::string> all;
  for (std::size_t row = 0; row < plan.generations.size(); ++row) all.insert(keys.of_row(row));
  return all;
}

Plan plan_of(const SmallExperiment& experiment, const std::string& axes) {
  return make_plan(read_run_config(experiment.config_file_without_axes(axes), {}));
}

TEST(WorkKeys, FindTheirPlacesAndNoOthers) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan({"experiment.repetitions=2", "prompts.pool_categories=false"});
  const WorkKeys keys(plan);
  for (std::size_t row = 0; row < plan.generations.size(); ++row)
    EXPECT_EQ(keys.row_of(keys.of_row(row)), row);
  for (std::size_t pilot = 0; pilot < plan.pilots.size(); ++pilot)
    EXPECT_EQ(keys.pilot_of(keys.of_pilot(pilot)), pilot);
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell)
    EXPECT_EQ(keys.cell_of(keys.of_cell(cell)), cell);
  EXPECT_FALSE(keys.row_of("")) << "no key";
}

/// Defect: a key of configs comes or goes, and runs of earlier revisions measure all anew.
TEST(WorkKeys, AreThoseOfEarlierRevisions) {
  const std::string golden = SPECLAB_SOURCE_DIR "/tests/golden/journals/";
  std::map<std::string, int> found;
  for (const std::string run : {"meters", "workers"}) {
    const Plan plan = make_plan(read_run_config(golden + run + "/config.toml", {}));
    const WorkKeys keys(plan);
    std::ifstream journal(golden + run + "/journal");
    std::string chain, kind, section, key, text;
    while (journal >> chain >> kind >> section >> key && std::getline(journal, text))
      found[kind] += kind == "header"  ? text.find(plan_digest(plan)) != std::string::npos
                     : kind == "pilot" ? keys.pilot_of(key).has_value()
                                       : keys.row_of(key).has_value();
  }
  EXPECT_EQ(found["header"], 2);
  EXPECT_EQ(found["pilot"], 3);
  EXPECT_EQ(found["row"], 4);
}

TEST(WorkKeys, OfTablesInAnotherOrderAreEqual) {
  const SmallExperiment experiment;
  const char* const kDrafters = "[axes]\ndrafter = [\"bigram\", \"unigram\", \"tree\"]\n";
  const Plan one = plan_of(
      experiment, std::string(kDrafters) +
                      "[[zip]]\ntemperature = [0.1, 0.5]\npolicy = [\"constant:1\", "
                      "\"constant:2\"]\n[[exclude]]\ndrafter = [\"bigram\", \"tree\"]\ntemperature "
                      "= 0.5\n[[exclude]]\ndrafter = \"unigram\"\ntemperature = 0.1\n");
  const Plan other = plan_of(
      experiment, std::string(kDrafters) +
                      "[[zip]]\npolicy = [\"constant:2\", \"constant:1\"]\ntemperature = [5e-1, "
                      "1e-1]\n[[exclude]]\ndrafter = \"unigram\"\ntemperature = "
                      "0.10\n[[exclude]]\ntemperature = 0.5\ndrafter = [\"tree\", \"bigram\"]\n");
  EXPECT_NE(to_toml(one.config), to_toml(other.config));
  EXPECT_EQ(plan_digest(one), plan_digest(other));
  EXPECT_EQ(row_keys(one), row_keys(other));
  const Plan unlike = plan_of(
      experiment, std::string(kDrafters) +
                      "[[zip]]\npolicy = [\"constant:1\", \"constant:2\"]\ntemperature = [5e-1, "
                      "1e-1]\n[[exclude]]\ndrafter = \"unigram\"\ntemperature = "
                      "0.10\n[[exclude]]\ntemperature = 0.5\ndrafter = [\"tree\", \"bigram\"]\n");
  EXPECT_NE(plan_digest(one), plan_digest(unlike))
      << "rows of a zip, not its columns, may change places";
}

/// Float keys are the numbers that were read, in their shortest form.
TEST(WorkKeys, OfNeighbouringNumbersDiffer) {
  const SmallExperiment experiment;
  const std::set<std::string> keys = row_keys(experiment.plan({"axes.temperature=0.1"}));
  EXPECT_EQ(keys, row_keys(experiment.plan({"axes.temperature=1e-1"})));
  EXPECT_NE(keys, row_keys(experiment.plan({"axes.temperature=0.10000000149011612"})))
      << "the float next to it";
}

struct Edit {
  const char* setting;
  bool changes_rows;  ///< of those that both plans have by name
  bool changes_pilots;
};

TEST(WorkKeys, HoldWhatChangesTheWorkAndOnlyThat) {
  const SmallExperiment experiment;
  const std::vector<std::string> base{"axes.verifier=lenient", "axes.drafter=bigram",
                                      "axes.temperature=0.5"};
  const Plan plan = experiment.plan(base);
  const WorkKeys keys(plan);
  const std::size_t row = plan.prompts.size();  // the first that drafts
  const std::set<std::string> is_no_work{"experiment.name=other", "drafters.tree.tree=2x2"};
  for (const auto& [setting, changes_rows, changes_pilots] :
       {Edit{"experiment.name=other", false, false},
        {"experiment.seed=2", true, true},
        {"experiment.repetitions=2", false, false},
        {"experiment.plain_repetitions=2", false, false},
        {"target.dtype=float32", false, false},
        {"target.threads=1", false, false},
        {"target.chat_template=off", true, true},
        {"verification.lenience=0.7", true, true},
        {"sampling.top_k=5", true, true},
        {"prompts.new_tokens=23", true, true},
        {"prompts.ignore_eos=false", true, true},
        {"prompts.per_category=1", false, false},
        {"prompts.pool_categories=false", false, false},
        {"pilot.max_length=3", false, true},
        {"costs.repetitions=2", false, false},
        {R"(axes.policy=["constant:3", "constant:2"])", false, false},
        {"drafters.tree.tree=2x2", false, false}}) {
    std::vector<std::string> settings = base;
    settings.emplace_back(setting);
    const Plan edited = experiment.plan(settings);
    const WorkKeys edited_keys(edited);
    EXPECT_EQ(!edited_keys.row_of(keys.of_row(row)), changes_rows) << setting;
    EXPECT_EQ(!edited_keys.pilot_of(keys.of_pilot(0)), changes_pilots) << setting;
    EXPECT_EQ(plan_digest(plan) == plan_digest(edited), is_no_work.contains(setting)) << setting;
  }
}

/// What a part is told changes the mixture's work, and that of no other cell.
TEST(WorkKeys, OfAMixtureHoldItsParts) {
  const SmallExperiment experiment;
  const auto plan = [&](const char* max_ngram) {
    return plan_of(experiment,
                   std::string("[axes]\ndrafter = [\"bigram\", \"both\"]\npolicy = "
                               "\"constant:2\"\n[drafters.both]\nkind = \"mixture\"\nparts = "
                               "[\"bigram:0.3\", \"copy\"]\n"
                               "[drafters.copy]\nkind = \"prompt_lookup\"\nmax_ngram = ") +
                       max_ngram + "\n");
  };
  const Plan plan_of_3 = plan("3"), plan_of_4 = plan("4");
  const WorkKeys three(plan_of_3), four(plan_of_4);
  for (std::size_t row = 0; row < plan_of_3.generations.size(); ++row) {
    const bool is_mixture =
        plan_of_3.cells[plan_of_3.generations[row].cell].setting.drafter == "both";
    EXPECT_EQ(three.of_row(row) == four.of_row(row), !is_mixture) << row;
  }
  EXPECT_NE(plan_digest(plan_of_3), plan_digest(plan_of_4));
}

}  // namespace
}  // namespace speclab::experiments
