// Whatever is another than when the run was begun is named and stops its resumption, or goes on
// under a number of its own (SWP-7).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "analysis/tables/run_folder.h"
#include "experiments/drivers/journal/entry_json.h"
#include "experiments/drivers/journal/origin.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/run/run_files.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/experiments/drivers/support/journal_payloads.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

using testing::SmallExperiment;

/// The message of a refusal; empty if there is none.
std::string refusal(const std::function<void()>& body) {
  try {
    body();
    return "";
  } catch (const DriftError& error) {
    return error.what();
  }
}

class Drift : public ::testing::Test {
 protected:
  /// A run of the half-measured folder `name`.
  void run_half(const std::string& name) const {
    experiment_.engines().num_generations = 0;
    EXPECT_THROW(experiment_.run(plan_, name,
                                 [this] {
                                   if (experiment_.engines().num_generations == 50)
                                     throw InterruptedError("stop");
                                 }),
                 InterruptedError);
  }

  std::string refusal_of(const std::vector<std::string>& settings, bool allow_mixed = false) const {
    return refusal([&] {
      experiment_.run(experiment_.plan(settings),
                      RunOptions{.folder = "run", .allow_mixed = allow_mixed});
    });
  }

  const SmallExperiment experiment_{testing::memory_folder()};
  const Plan plan_ = experiment_.plan();
  const RunOutcome outcome_ = experiment_.run(plan_, "run");
  const HeaderEntry begun_ = *RunLog(plan_, experiment_.folder("run")).header();
};

TEST_F(Drift, OfEveryFieldOfTheOriginIsNamed) {
  ASSERT_GE(begun_.provenance.size(), 13u);
  for (std::size_t i = 0; i < begun_.provenance.size(); ++i) {
    HeaderEntry now = begun_;
    now.provenance[i].second += "x";
    const auto& [key, value] = begun_.provenance[i];
    const std::string line = "\n  " + key + ": was " + value + ", now " + value + "x\n";
    EXPECT_NE(refusal([&] { check_same_header(begun_, now, "run"); }).find(line), std::string::npos)
        << key;
    const bool is_of_the_config = key == "config_sha256" || key == "prompts_sha256";
    EXPECT_EQ(
        refusal([&] { check_same_origin(begun_, now, "run"); }).find(line) == std::string::npos,
        is_of_the_config)
        << key;
  }
  EXPECT_EQ(refusal([&] { check_same_header(begun_, begun_, "run"); }), "");
}

/// Defect: an entry of another kind of experiment, or one that names no prompt, is taken for this
/// run's and ends the program where its table is made.
TEST_F(Drift, OfTheKindOfAnEntryIsRefusedWithItsPlace) {
  const std::string folder = experiment_.folder("run");
  for (const char* kind : {"atlas", "acceptance"}) {
    const std::string run = experiment_.folder(kind);
    std::filesystem::copy(folder, run, std::filesystem::copy_options::recursive);
    RunLog(plan_, run).add(kind, {.cell = 1, .found = {{"rows", 1}, {"rules", Json::array()}}});
    try {
      RunLog(plan_, run);
      ADD_FAILURE() << kind << " is read";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(run + "/journal:"), std::string::npos)
          << error.what();
    }
  }
}

/// Defect: a run of an earlier revision differs in an entry that is gone, and goes on no more.
TEST_F(Drift, OfAnEntryThatIsGoneIsNone) {
  Json header = to_json(begun_);
  header["provenance"]["arithmetic"] = "row_invariant";
  const HeaderEntry earlier = header_entry(header);
  EXPECT_EQ(origin_changes(earlier, begun_), "");
  EXPECT_EQ(origin_changes(begun_, earlier), "");
}

/// Gives a run's journal a header of format 3, and half a line at its end.
void make_later(const std::string& folder) {
  std::vector<std::string> payloads = testing::journal_payloads(folder);
  const std::string format = R"("format":2)";
  payloads[0].replace(payloads[0].find(format), format.size(), R"("format":3)");
  std::filesystem::remove(folder + "/journal");
  Journal journal = Journal::open(folder);
  for (const std::string& payload : payloads) journal.append(payload);
  append_file(folder + "/journal", "half a line");
}

/// Defect: entries of a later revision are taken for known ones, its run is begun anew or loses
/// bytes, or its tables are reported on no more.
TEST_F(Drift, OfALaterFormatIsNamedAndLeavesTheRunAlone) {
  const std::string folder = experiment_.folder("run");
  make_later(folder);
  const std::string journal = experiment_.file("run", "journal"),
                    said = folder + "/journal:1: a journal of format 3, by revision \"";
  for (const bool repair : {false, true})
    EXPECT_EQ(refusal([&] {
                experiment_.run(plan_, RunOptions{.folder = "run", .repair = repair});
              }).find(said),
              0u);
  EXPECT_EQ(experiment_.file("run", "journal"), journal);
  EXPECT_FALSE(is_unfinished(folder));
  std::filesystem::remove(folder + "/SHA256SUMS");
  EXPECT_EQ(refusal([&] { is_unfinished(folder); }).find(said), 0u);
}

TEST_F(Drift, OfEveryModelsBytesIsNamed) {
  ASSERT_GE(begun_.models.size(), 2u);
  for (std::size_t i = 0; i < begun_.models.size(); ++i) {
    HeaderEntry now = begun_;
    now.models[i].sha256 += "0";
    now.models[i].config_sha256 += "0";
    const std::string& name = begun_.models[i].name;
    const std::string message = refusal([&] { check_same_origin(begun_, now, "run"); });
    EXPECT_NE(message.find("\n  model " + name + ": was "), std::string::npos) << i;
    EXPECT_NE(message.find("\n  config.json of model " + name + ": was "), std::string::npos) << i;
  }
}

/// Settings that all work has: nothing of the run would stay.
TEST_F(Drift, OfEverySettingOfTheConfigIsNamedBeforeAnythingIsLoaded) {
  for (const char* setting :
       {"experiment.seed=2", "target.chat_template=off", "sampling.top_k=5", "sampling.top_p=0.9",
        "sampling.min_p=0.1", "sampling.repetition_penalty=1.1", "prompts.new_tokens=23",
        "prompts.ignore_eos=false"})
    for (const bool allow_mixed : {false, true}) {
      const std::string text = setting, key = text.substr(0, text.find('='));
      EXPECT_NE(refusal_of({text}, allow_mixed).find("\n  " + key + ": was "), std::string::npos)
          << text << ": " << refusal_of({text}, allow_mixed);
    }
  EXPECT_EQ(experiment_.num_engine_starts(), 1);
}

/// What all is run on: an edit of it is drift, as another machine is.
TEST_F(Drift, OfKeysThatSayWhatWorkRunsOnIsNamedUnlessItIsAllowed) {
  for (const char* setting : {"target.device=cpu", "target.dtype=float32", "target.threads=1"}) {
    const std::string text = setting, key = text.substr(0, text.find('='));
    EXPECT_NE(refusal_of({text}).find("\n  " + key + ": was "), std::string::npos)
        << text << ": " << refusal_of({text});
    EXPECT_EQ(refusal_of({text}, true), "") << text;
  }
}

/// A kind without generations has nothing that could be told apart.
TEST_F(Drift, OfAnyKeyOfAKindWithoutGenerationsIsNamed) {
  const std::string kind = "experiment.kind=cost_surface";
  experiment_.run(experiment_.plan({kind}), "costs");
  for (const char* setting : {"axes.temperature=[0.0, 0.6]", "costs.repetitions=2",
                              "axes.drafter=bigram", "experiment.seed=2"}) {
    const std::string text = setting, key = text.substr(0, text.find('='));
    EXPECT_NE(refusal([&] {
                experiment_.run(experiment_.plan({kind, text}), "costs");
              }).find("\n  " + key + ": was "),
              std::string::npos)
        << text;
  }
}

TEST_F(Drift, OfWhatAConfigChoosesIsNone) {
  for (const char* key :
       {"experiment.name", "experiment.repetitions", "experiment.plain_repetitions", "target.model",
        "drafters.tree.tree", "axes.policy", "zip 1.drafter", "exclude 2.temperature",
        "verification.lenience", "prompts.set", "prompts.categories", "prompts.per_category",
        "prompts.pool_categories", "pilot.max_length", "costs.rows"})
    EXPECT_EQ(role_of(key), KeyRole::choice) << key;
  for (const char* key : {"experiment.kind", "a key of later"})
    EXPECT_EQ(role_of(key), KeyRole::setting) << key;
}

/// What the analysis reads of the rows of a folder.
struct Tagged {
  std::map<std::int64_t, std::int64_t> rows_of_section;
  std::vector<analysis::SectionProvenance> sections;

  explicit Tagged(const std::string& folder) {
    const analysis::Run run = analysis::read_run(folder);
    for (const analysis::Generation& generation : run.generations)
      ++rows_of_section[generation.section];
    sections = run.manifest.sections;
  }
};

TEST_F(Drift, ThatIsAllowedGoesOnAndEveryRowSaysWhatItIsFrom) {
  run_half("half");
  const auto measured =
      static_cast<std::int64_t>(RunLog(plan_, experiment_.folder("half")).rows().size());
  ASSERT_GT(measured, 0);
  experiment_.engines().dtype = "bfloat16";
  experiment_.engines().sha256 = "other";
  EXPECT_NE(refusal([&] {
              experiment_.run(plan_, "half");
            }).find("\n  dtype: was float32, now bfloat16\n  model fake: was fa4e, now other"),
            std::string::npos);
  experiment_.run(plan_, RunOptions{.folder = "half", .allow_mixed = true});
  const Tagged tagged(experiment_.folder("half"));
  EXPECT_EQ(
      tagged.rows_of_section,
      (std::map<std::int64_t, std::int64_t>{
          {1, measured}, {2, static_cast<std::int64_t>(plan_.generations.size()) - measured}}));
  ASSERT_EQ(tagged.sections.size(), 2u);
  for (const analysis::SectionProvenance& section : tagged.sections)
    EXPECT_EQ(section.generations, tagged.rows_of_section.at(section.number));
  EXPECT_EQ(tagged.sections[0].differs.front(), "dtype: was float32, now bfloat16");
  EXPECT_TRUE(tagged.sections[1].differs.empty());
  EXPECT_EQ(experiment_.file("half", "rows.csv"), experiment_.file("run", "rows.csv"))
      << "the fake's text does not depend on its bytes";
  EXPECT_EQ(experiment_.run(plan_, "half"), RunOutcome::was_complete);
}

// Catches a manifest that gives rows to the program of today because all are of one section.
TEST_F(Drift, ThatMeasuresNoRowAnewStillNamesTheOriginOfAll) {
  experiment_.run(plan_, "whole");
  experiment_.engines().dtype = "bfloat16";
  experiment_.run(experiment_.plan({"target.dtype=bfloat16"}),
                  RunOptions{.folder = "whole", .allow_mixed = true});
  const Tagged tagged(experiment_.folder("whole"));
  const auto all = static_cast<std::int64_t>(plan_.generations.size());
  EXPECT_EQ(tagged.rows_of_section, (std::map<std::int64_t, std::int64_t>{{1, all}}));
  ASSERT_EQ(tagged.sections.size(), 1u);
  EXPECT_EQ(tagged.sections[0].differs.front(), "dtype: was float32, now bfloat16");
}

TEST_F(Drift, ThatIsAllowedMeasuresPilotsAndCostsAnew) {
  run_half("half");
  experiment_.engines().dtype = "bfloat16";
  experiment_.run(plan_, RunOptions{.folder = "half", .allow_mixed = true});
  const RunLog log(experiment_.folder("half"));
  EXPECT_EQ(log.sections().at(2).pilots.size(), plan_.pilots.size());
  EXPECT_FALSE(log.sections().at(2).costs.empty());
}

TEST_F(Drift, KeepsThePilotsOfTheOriginThatGoesOn) {
  run_half("half");
  experiment_.engines().dtype = "bfloat16";
  experiment_.run(plan_, RunOptions{.folder = "half", .allow_mixed = true});
  experiment_.run(experiment_.plan({"experiment.repetitions=2"}),
                  RunOptions{.folder = "half", .allow_mixed = true});
  const RunLog log(experiment_.folder("half"));
  ASSERT_EQ(log.sections().size(), 3u);
  EXPECT_TRUE(log.sections().at(3).pilots.empty());
  EXPECT_FALSE(log.sections().at(3).costs.empty());
}

TEST_F(Drift, WhereNothingHasDriftedAllowsAndOpensNothing) {
  run_half("half");
  experiment_.run(plan_, RunOptions{.folder = "half", .allow_mixed = true});
  EXPECT_EQ(RunLog(experiment_.folder("half")).sections().size(), 1u);
  EXPECT_EQ(experiment_.file("half", "times.csv").find("section"), std::string::npos);
}

}  // namespace
}  // namespace speclab::experiments
