// A run that is stopped anywhere and begun again ends with the same files as one that never was.
#include <gtest/gtest.h>

#include <csignal>

#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/program/interruption.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/journal_payloads.h"
#include "tests/experiments/drivers/support/same_files.h"
#include "tests/support/file_size_limit.h"

namespace speclab::experiments {
namespace {

using testing::journal_payloads;
using testing::kDeterministicFiles;
using testing::SmallExperiment;

void expect_equal_files(const SmallExperiment& experiment, const std::string& a,
                        const std::string& b, const std::string& when) {
  SCOPED_TRACE(when);
  testing::expect_files_of(experiment, a, b);
}

/// A folder whose journal is the first `size` bytes of another's.
void cut_journal(const SmallExperiment& experiment, const std::string& from, const std::string& to,
                 std::size_t size) {
  std::filesystem::remove_all(experiment.folder(to));
  make_folder(experiment.folder(to));
  write_file(experiment.folder(to) + "/journal", experiment.file(from, "journal").substr(0, size));
}

TEST(Resume, AfterEveryLineAndInTheMiddleOfEveryLine) {
  const SmallExperiment experiment;
  const Plan plan =
      experiment.plan({R"(axes.drafter="bigram")", R"(axes.verifier=["rejection", "lenient"])"});
  experiment.run(plan, "whole");
  const std::string journal = experiment.file("whole", "journal");
  std::size_t num_cuts = 0;
  for (std::size_t begin = 0, end = 0; begin < journal.size(); begin = end + 1) {
    end = journal.find('\n', begin);
    for (const std::size_t cut : {begin, begin + (end - begin) / 2}) {
      cut_journal(experiment, "whole", "cut", cut);
      ASSERT_EQ(experiment.run(plan, "cut"), RunOutcome::completed);
      expect_equal_files(experiment, "whole", "cut", "cut at byte " + std::to_string(cut));
      ++num_cuts;
    }
  }
  const std::size_t num_paces = RunLog(plan, experiment.folder("whole")).paces().size();
  EXPECT_EQ(num_cuts,
            2 * (1 + plan.pilots.size() + 1 + 1 + num_paces + plan.generations.size() + 1));
}

TEST(Resume, SaysHowManyBytesOfAnUnfinishedLastLineWereCutOff) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  const std::string journal = experiment.file("whole", "journal");
  const std::size_t line = journal.rfind(" row "), begin = journal.rfind('\n', line) + 1;
  for (const std::size_t left_over :
       {std::size_t{1}, std::size_t{37}, journal.find('\n', line) - begin}) {
    cut_journal(experiment, "whole", "cut", begin + left_over);
    ::testing::internal::CaptureStderr();
    Progress progress(Progress::Style::lines);
    run_experiment(plan, {.folder = experiment.folder("cut")}, experiment.open_engines(), progress);
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(
        said.find(experiment.folder("cut") + "/journal: an unfinished last line of " +
                  std::to_string(left_over) + " bytes was cut off; its generation is repeated\n"),
        std::string::npos)
        << said;
  }
  ::testing::internal::CaptureStderr();
  cut_journal(experiment, "whole", "cut", begin);
  Progress progress(Progress::Style::lines);
  run_experiment(plan, {.folder = experiment.folder("cut")}, experiment.open_engines(), progress);
  EXPECT_EQ(::testing::internal::GetCapturedStderr().find("was cut off"), std::string::npos)
      << "a whole last line is none";
}

TEST(Resume, MeasuresOnlyWhatIsMissing) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  const std::string journal = experiment.file("whole", "journal");
  cut_journal(experiment, "whole", "cut", journal.rfind('\n', journal.rfind(" row ")) + 1);
  experiment.engines().num_generations = 0;
  experiment.run(plan, "cut");
  EXPECT_EQ(experiment.engines().num_generations,
            1 + static_cast<int>(plan.cells.size()));  // the last row, and warm-up
}

TEST(Resume, ACompleteRunIsLeftAloneAndNothingIsLoaded) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  const std::string journal = experiment.file("whole", "journal");
  EXPECT_EQ(experiment.run(plan, "whole"), RunOutcome::was_complete);
  EXPECT_EQ(experiment.num_engine_starts(), 1);
  EXPECT_EQ(experiment.file("whole", "journal"), journal);
}

TEST(Resume, PutsBackALostFileOfACompleteRun) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan();
  experiment.run(plan, "run");
  const std::string rows = experiment.file("run", "rows.csv");
  std::filesystem::remove(experiment.folder("run") + "/rows.csv");
  EXPECT_EQ(experiment.run(plan, "run"), RunOutcome::completed);
  EXPECT_EQ(experiment.file("run", "rows.csv"), rows);
}

TEST(Resume, RefusesResultsWithoutTheirJournal) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan();
  experiment.run(plan, "run");
  const std::string rows = experiment.file("run", "rows.csv");
  for (const bool emptied : {true, false}) {
    if (emptied)
      write_file(experiment.folder("run") + "/journal", "");
    else
      std::filesystem::remove(experiment.folder("run") + "/journal");
    EXPECT_THROW(experiment.run(plan, "run"), DataError);
    EXPECT_EQ(experiment.file("run", "rows.csv"), rows);
  }
}

TEST(Resume, RefusesEntriesThatAreNotThePlans) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan();
  experiment.run(plan, "run");
  for (const char* entry :
       {"{}", "row", "row 1 -", "row 0 - {}", "row x - {}", "row 1 nobody {}",
        R"(pilot 1 nobody {"rounds": []})", "pilot 1 - [", "dream 1 - {}", "header 1 - {}"}) {
    std::filesystem::remove_all(experiment.folder("forged"));
    make_folder(experiment.folder("forged"));
    {
      Journal journal = Journal::open(experiment.folder("forged"));
      journal.append(journal_payloads(experiment.folder("run")).front());
      journal.append(entry);
    }
    EXPECT_THROW(experiment.run(plan, "forged"), DataError) << entry;
  }
}

TEST(Resume, SaysWhereARowStandsThatIsNone) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan();
  experiment.run(plan, "run");
  for (const std::string json : {"{}", "[", "7"}) {
    std::filesystem::remove_all(experiment.folder("forged"));
    make_folder(experiment.folder("forged"));
    Journal journal = Journal::open(experiment.folder("forged"));
    for (const std::string& payload : journal_payloads(experiment.folder("run")))
      journal.append(payload.starts_with("row ") ? payload.substr(0, payload.find('{')) + json
                                                 : payload);
    EXPECT_THROW(experiment.run(plan, "forged"), DataError) << json;
  }
}

TEST(Resume, RefusesAJournalOfTheFormBefore) {
  const SmallExperiment experiment;
  make_folder(experiment.folder("run"));
  Journal::open(experiment.folder("run"))
      .append(R"({"header":{"started_at":"now","provenance":[["flags","-O3 -march=native"]]}})");
  try {
    experiment.run(experiment.plan(), "run");
    FAIL() << "taken";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("journal:1: no entry; allowed: KIND SECTION KEY JSON. The journal comes "
                        "from an earlier revision"),
              std::string::npos)
        << error.what();
  }
}

TEST(Resume, AfterAnInterruptionBetweenAnyTwoGenerations) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  const int total = experiment.engines().num_generations;
  for (int stop = 1; stop < total; stop += 5) {
    const std::string name = "stopped" + std::to_string(stop);
    experiment.engines().num_generations = 0;
    const auto check = [&] {
      if (experiment.engines().num_generations >= stop) throw InterruptedError("stop");
    };
    EXPECT_THROW(experiment.run(plan, name, check), InterruptedError) << stop;
    EXPECT_NE(experiment.file(name, "manifest.toml").find("planned_generations = 24\n"),
              std::string::npos);
    experiment.run(plan, name);
    expect_equal_files(experiment, "whole", name, "stopped after " + std::to_string(stop));
  }
}

TEST(Resume, ASignalEndsTheRunAfterTheGenerationInHand) {
  for (const auto& [signal, code] :
       {std::pair(SIGINT, ExitCode::interrupted), std::pair(SIGTERM, ExitCode::terminated)}) {
    const SmallExperiment experiment;
    const Interruption interruption;
    experiment.engines().on_generation = [&experiment, raised = signal] {
      if (experiment.engines().num_generations == 20) std::raise(raised);
    };
    try {
      experiment.run(experiment.plan(), "run", [&] { interruption.check("go on"); });
      FAIL() << "not interrupted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_NE(std::string(error.what()).find("go on"), std::string::npos);
    }
    EXPECT_EQ(experiment.engines().num_generations, 20);
  }
}

TEST(Resume, AfterAFullDiskAtAnySize) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan();
  experiment.run(plan, "whole");
  const std::size_t size = experiment.file("whole", "journal").size();
  const std::size_t margin =
      size / 50;  // measured times have more digits in one run than in another
  for (std::size_t limit = 1; limit + margin < size; limit += size / 15) {
    const std::string name = "full" + std::to_string(limit);
    {
      const testing::FileSizeLimit file_size(limit);
      EXPECT_THROW(experiment.run(plan, name), WriteError) << limit;
    }
    for (const char* file : kDeterministicFiles) {
      if (!std::filesystem::exists(experiment.folder(name) + "/" + file)) continue;
      ASSERT_EQ(experiment.file(name, file), experiment.file("whole", file)) << limit;
    }
    experiment.run(plan, name);
    expect_equal_files(experiment, "whole", name, "full at " + std::to_string(limit));
  }
}

TEST(Resume, RefusesAnotherConfigBeforeAnythingIsLoaded) {
  const SmallExperiment experiment;
  experiment.run(experiment.plan(), "run");
  try {
    experiment.run(experiment.plan({"experiment.seed=2"}), "run");
    FAIL() << "resumed";
  } catch (const DriftError& error) {
    EXPECT_NE(std::string(error.what()).find("\n  experiment.seed: was 1, now 2\n"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(experiment.num_engine_starts(), 1);
}

TEST(Resume, RefusesOtherModelsAndNumberFormatsNamingThem) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan();
  EXPECT_THROW(experiment.run(plan, "run",
                              [&] {
                                if (experiment.engines().num_generations >= 8)
                                  throw InterruptedError("stop");
                              }),
               InterruptedError);
  experiment.engines().sha256 = "other";
  experiment.engines().dtype = "bfloat16";
  try {
    experiment.run(plan, "run");
    FAIL() << "resumed";
  } catch (const DriftError& error) {
    for (const char* difference :
         {"dtype: was float32, now bfloat16", "model fake: was fa4e, now other", "model bigram"})
      EXPECT_NE(std::string(error.what()).find(difference), std::string::npos) << error.what();
  }
}

TEST(Resume, RefusesADamagedJournal) {
  const SmallExperiment experiment;
  const Plan plan = experiment.plan();
  experiment.run(plan, "run");
  std::string journal = experiment.file("run", "journal");
  journal[journal.size() / 2] ^= 1;
  write_file(experiment.folder("run") + "/journal", journal);
  EXPECT_THROW(experiment.run(plan, "run"), DataError);
}

}  // namespace
}  // namespace speclab::experiments
