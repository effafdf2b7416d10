// `speclab run --workers`, as a user meets it: the built program with fake engines.

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/experiments/drivers/support/same_files.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::expect_files_of;
using testing::Outcome;
using testing::run_program;
using testing::run_shell;
using testing::SmallExperiment;

std::string run_command(const SmallExperiment& experiment, const std::string& name,
                        const std::string& more) {
  return "run " + experiment.config_file() + " --no-report --output " + experiment.folder(name) +
         " " + more + " 2>&1";
}

/// As the shell variable of the fake engines.
std::string fault(const SmallExperiment& experiment, const std::string& what) {
  return "SPECLAB_FAKE_FAULT=" + std::to_string(experiment.plan().sequence_id({.prompt = 3})) +
         ":" + what + ":" + experiment.folder("struck") + " ";
}

TEST(ProgramWorkers, MeasureWhatOneProcessMeasures) {
  const SmallExperiment experiment(testing::memory_folder());
  ASSERT_EQ(run_program(run_command(experiment, "whole", "")).code, 0);
  const Outcome run = run_program(run_command(experiment, "run", "--workers 2"));
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_NE(run.output.find("24 generations in 6 cells"), std::string::npos) << run.output;
  expect_files_of(experiment, "whole", "run");
  EXPECT_NE(experiment.file("run", "manifest.toml").find("workers = 2\n"), std::string::npos);
  const Outcome again = run_program(run_command(experiment, "run", "--workers 2"));
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.output.find("is complete"), std::string::npos) << again.output;
}

TEST(ProgramWorkers, OneThatFailsIsARowAndExitCode6AndTheSameCommandTriesAgain) {
  for (const std::string what : {"abort", "kill", "throw"}) {
    const SmallExperiment experiment(testing::memory_folder());
    ASSERT_EQ(run_program(run_command(experiment, "whole", "")).code, 0);
    const std::string program = fault(experiment, what) + SPECLAB_PROGRAM + " ";
    const Outcome run = run_shell(program + run_command(experiment, "run", "--workers 2"));
    EXPECT_EQ(run.code, 6) << run.output;
    EXPECT_NE(run.output.find("1 of 24 generations failed, see " + experiment.folder("run") +
                              "/failures.csv; repeat the command to try 1 of them once more"),
              std::string::npos)
        << run.output;
    EXPECT_NE(experiment.file("run", "failures.csv")
                  .find(what == "throw" ? ",out_of_memory," : ",crash,"),
              std::string::npos);
    EXPECT_EQ(run_shell(program + run_command(experiment, "run", "--workers 2")).code, 0);
    expect_files_of(experiment, "whole", "run");
  }
}

/// Defect: a script that reads the object of a run is not told that generations failed, or that the
/// run was interrupted.
TEST(ProgramWorkers, JsonTellsFailuresAndInterruptions) {
  const auto object_of = [](const std::string& command, int code) {
    const Outcome run = run_shell(command);
    EXPECT_EQ(run.code, code) << run.output;
    return nlohmann::json::parse(run.output);
  };
  const SmallExperiment experiment(testing::memory_folder());
  const std::string run = std::string(SPECLAB_PROGRAM " run ") + experiment.config_file() +
                          " --no-report --json --workers 2 2>/dev/null --output ";
  const auto failed = object_of(fault(experiment, "throw") + run + experiment.folder("run"), 6);
  EXPECT_EQ(failed.at("status"), "some_failed");
  EXPECT_EQ(failed.at("exit_code"), 6);
  EXPECT_EQ(failed.at("failed"), 1);
  EXPECT_EQ(failed.at("measured"), 23);
  EXPECT_TRUE(failed.at("error").get<std::string>().starts_with("1 of 24 generations failed"));
  std::filesystem::remove(experiment.folder("struck"));
  const auto stopped = object_of(fault(experiment, "hang") + run + experiment.folder("stopped") +
                                     " & pid=$!; until [ -e " + experiment.folder("struck") +
                                     " ]; do sleep 0.05; done; kill -INT $pid; wait $pid",
                                 130);
  EXPECT_EQ(stopped.at("status"), "interrupted");
  EXPECT_EQ(stopped.at("folder"), experiment.folder("stopped"));
}

TEST(ProgramWorkers, AllEndWithinFiveSecondsOfASignalAndTheRunGoesOn) {
  for (const auto& [signal, code] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    const SmallExperiment experiment(testing::memory_folder());
    ASSERT_EQ(run_program(run_command(experiment, "whole", "")).code, 0);
    const std::string program = fault(experiment, "hang") + SPECLAB_PROGRAM + " ";
    const Outcome run = run_shell(
        program + run_command(experiment, "run", "--workers 2") + " & pid=$!; until [ -e " +
        experiment.folder("struck") + " ]; do sleep 0.05; done; begin=$(date +%s); kill -" +
        signal + " $pid; wait $pid; code=$?; echo took $(($(date +%s) - begin)); exit $code");
    EXPECT_EQ(run.code, code) << run.output;
    const std::size_t took = run.output.find("took ");
    ASSERT_NE(took, std::string::npos) << run.output;
    EXPECT_LE(std::stoi(run.output.substr(took + 5)), 5);
    EXPECT_EQ(run_shell(program + run_command(experiment, "run", "--workers 2")).code, 0);
    expect_files_of(experiment, "whole", "run");
  }
}

TEST(ProgramWorkers, AreKilledWithTheProcessThatStartedThem) {
  const SmallExperiment experiment(testing::memory_folder());
  const std::string program = fault(experiment, "hang") + SPECLAB_PROGRAM + " ";
  const Outcome run =
      run_shell(program + run_command(experiment, "run", "--workers 2") + " & pid=$!; until [ -e " +
                experiment.folder("struck") +
                " ]; do sleep 0.05; done; kill -KILL $pid; wait $pid; sleep 0.5; pgrep -fc '" +
                experiment.folder("run") + " .*[-]-role work'");
  EXPECT_EQ(run.output.substr(run.output.size() - 2), "0\n") << run.output;
  EXPECT_EQ(run_shell(program + run_command(experiment, "run", "--workers 2")).code, 0);
}

/// Binary and models are as they were, the number of workers is not.
TEST(ProgramWorkers, InAnotherNumberAreDriftThatMayBeAllowed) {
  const SmallExperiment experiment(testing::memory_folder());
  ASSERT_EQ(run_program(run_command(experiment, "run", "--set axes.temperature=0.5")).code, 0);
  testing::expect_refusal(run_command(experiment, "run", "--workers 2"), 5,
                          "workers: was 1, now 2");
  const Outcome run = run_program(run_command(experiment, "run", "--workers 2 --allow-mixed"));
  EXPECT_EQ(run.code, 0) << run.output;
  ASSERT_EQ(run_program(run_command(experiment, "whole", "")).code, 0);
  expect_files_of(experiment, "whole", "run");
  EXPECT_NE(experiment.file("run", "manifest.toml").find("generations = 12"), std::string::npos)
      << experiment.file("run", "manifest.toml");
  testing::expect_refusal(
      run_command(experiment, "costs", "--allow-mixed --set experiment.kind=cost_surface"), 2,
      "--allow-mixed: experiment.kind = cost_surface");
}

/// Two who measure the same would do it twice. A squeue of this test's says that a job waits.
TEST(ProgramWorkers, AndOneProcessKeepOutOfTheWayOfSlurmJobs) {
  const SmallExperiment experiment(testing::memory_folder());
  for (const char* folder : {"bin", "run", "run/slurm"}) make_folder(experiment.folder(folder));
  write_file(experiment.folder("bin") + "/squeue", "#!/bin/sh\necho PENDING\n");
  write_file(experiment.folder("run") + "/slurm/jobs", "7\n8\n");
  const std::string with_queue = "chmod +x " + experiment.folder("bin") +
                                 "/squeue; PATH=" + experiment.folder("bin") + ":$PATH " +
                                 SPECLAB_PROGRAM + " ";
  for (const char* more : {"", "--workers 2"}) {
    const Outcome refused = run_shell(with_queue + run_command(experiment, "run", more));
    EXPECT_EQ(refused.code, 4) << refused.output;
    EXPECT_NE(refused.output.find("Slurm jobs 7, 8 of this run are in the queue"),
              std::string::npos)
        << refused.output;
  }
  EXPECT_FALSE(std::filesystem::exists(experiment.folder("run") + "/journal"));
  EXPECT_EQ(run_shell(with_queue + run_command(experiment, "other", "")).code, 0)
      << "no jobs of this one";
}

TEST(ProgramWorkers, RefuseWhatTheyCannotDo) {
  const SmallExperiment experiment(testing::memory_folder());
  const auto refuse = [&](const std::string& options, const std::string& message) {
    testing::expect_refusal(run_command(experiment, "run", options), 2, message);
  };
  refuse("--workers -1", "--workers -1; allowed: 0 to 1024");
  refuse("--workers two", "--workers");
  refuse("--timeout-s -1", "--timeout-s -1; allowed: 0 to");
  refuse("--workers 2 --set experiment.kind=cost_surface", "allowed: decoding");
  refuse("--slurm --workers 2", "--workers");
  refuse("--detach", "--slurm");
  testing::expect_refusal("run /nowhere.toml --workers 2", 2, "/nowhere.toml");
  EXPECT_FALSE(std::filesystem::exists(experiment.folder("run")));
}

}  // namespace
}  // namespace speclab
