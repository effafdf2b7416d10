// speclab compare, with suites that are scripts: every verdict, what is refused, and revisions of a
// repository made here.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/system/files.h"
#include "tests/experiments/drivers/compare/fake_suite.h"
#include "tests/experiments/program/program.h"

namespace speclab::testing {
namespace {

/// Some thousandths up and down, never twice the same way.
double wobble(int run) { return 1.0 + 0.001 * ((7 * run) % 11 - 5); }

FakeBenchmark steady(const std::string& name, double ns) {
  return {.name = name, .ns = [ns](int run) { return ns * wobble(run); }};
}

class Compare : public ::testing::Test {
 protected:
  Outcome compare(const std::string& base, const std::string& head,
                  const std::string& options = "--measure times") {
    return run_program("compare " + base + " " + head + " " + options + " 2>&1");
  }
  std::string build(const std::string& name, const std::vector<FakeBenchmark>& benchmarks,
                    const FakeTimer& timer = {}) {
    return fake_build(folder_, name, benchmarks, 40, timer);
  }

  void expect(const Outcome& outcome, int code, const std::string& part) {
    EXPECT_EQ(outcome.code, code) << outcome.output;
    EXPECT_NE(outcome.output.find(part), std::string::npos) << outcome.output;
  }

  TemporaryFolder folder_{memory_folder()};
};

TEST_F(Compare, SaysSameOfABuildWithItself) {
  const std::string base = build("base", {steady("f/a", 1e4), steady("g/b", 2e4)}),
                    head = build("head", {steady("f/a", 1e4), steady("g/b", 2e4)});
  expect(compare(base, head), 0, ": SAME");
}

TEST_F(Compare, SaysSlowAndFast) {
  const std::string base = build("base", {steady("f/a", 1e4), steady("f/b", 2e4)});
  expect(compare(base, build("slow", {steady("f/a", 1e4), steady("f/b", 2.2e4)})), 10, ": SLOW");
  expect(compare(base, build("fast", {steady("f/a", 0.9e4), steady("f/b", 2e4)})), 0, ": FAST");
}

/// Slower by 10 % in two of three processes: 14 of 20, then 27 of 40 pairs, of which neither is
/// significant.
TEST_F(Compare, ExtendsWhatIsUnclearOnceAndSaysAmbiguous) {
  const FakeBenchmark unclear{.name = "f/b",
                              .ns = [](int run) { return run % 3 == 0 ? 1.99e4 : 2.2e4; }};
  const std::string base = build("base", {steady("f/a", 1e4),
                                          {.name = "f/b", .ns = [](int) { return 2e4; }}}),
                    head = build("head", {steady("f/a", 1e4), unclear});
  const std::string rows = folder_.path("rows");
  expect(compare(base, head, "--measure times --output " + rows), 11, ": AMBIGUOUS");
  const std::string csv = read_file(rows + "/pairs.csv");
  EXPECT_NE(csv.find("f/b,39,2,"), std::string::npos) << csv;
  EXPECT_EQ(csv.find("f/a,20,"), std::string::npos) << "what was clear is not measured again";
}

TEST_F(Compare, ReplaysTheVerdictsFromTheRows) {
  const std::string base = build("base", {steady("f/a", 1e4)}),
                    head = build("head", {steady("f/a", 1.1e4)}), rows = folder_.path("rows");
  expect(compare(base, head, "--measure times --output " + rows), 10, ": SLOW");
  expect(run_program("compare --replay " + rows + " 2>&1"), 10, ": SLOW");
  expect(run_program("compare --replay " + rows + " 2>&1"), 10, " s: f ");
  expect(compare(base, head, "--measure times --output " + rows), 2, "holds pairs.csv already");
  const auto gate = nlohmann::json::parse(read_file(rows + "/gate.json"));
  EXPECT_EQ(gate["verdict"], "SLOW");
  EXPECT_EQ(gate["exit_code"], 10);
  EXPECT_EQ(gate["benchmarks"][0]["slower"], 20);
  EXPECT_EQ(gate["base"], base + " (fake, script, x86-64)");
  EXPECT_EQ(gate["machine"], "2 processors of 2000 MHz");
  EXPECT_EQ(gate["settings"]["pairs"], 20);
  EXPECT_GT(gate["seconds"]["f"].get<double>(), 0.0) << "of measuring the family";
}

TEST_F(Compare, DrawsGatesFromThePairsOfSeveralFolders) {
  const std::string suite = build("suite", {steady("f/a", 1e4)}),
                    other = build("other", {steady("f/b", 1e4)}), parts = folder_.path("part_");
  for (const char* part : {"1", "2"})
    compare(suite, suite, "--measure times --pairs 20 --output " + parts + part);
  compare(other, other, "--measure times --pairs 40 --output " + parts + "3");
  expect(run_program("compare --power " + parts + "1 " + parts + "2 2>&1"), 0,
         "drawn from 40 pairs of 1 benchmarks");
  expect(run_program("compare --power " + parts + "1 2>&1"), 3,
         "has 20 pairs; allowed: at least 40");
  expect(run_program("compare --power " + parts + "1 " + parts + "3 2>&1"), 3,
         "and as many as the others");
  expect(run_program("compare --power " + parts + "1 " + parts + "2/ " + parts + "2 2>&1"), 2,
         "is given twice");
  expect(run_program("compare --power " + parts + "1 " + parts + "4 2>&1"), 3, "part_4/pairs.csv");
}

TEST_F(Compare, RefusesDamagedRows) {
  const std::string head =
                        "benchmark,pair,look,first,base_ns,head_ns,base_wall_ns,head_wall_ns,base_"
                        "checksum,head_checksum\n",
                    row = "f/a,0,1,base,5,5,5,5,7,7\n";
  const std::pair<std::string, const char*> damages[] = {
      {"f/a,0,1,base,0,5,5,5,7,7\n", "pairs.csv:2: column 'base_ns'"},
      {row + row, "pairs.csv:3: column 'pair': 0; allowed: 1"},
      {"f/a,1,1,base,5,5,5,5,7,7\n", "pairs.csv:2: column 'pair'"},
      {"f/\x1b[2J,0,1,base,5,5,5,5,7,7\n", "pairs.csv:2: column 'benchmark'"}};
  for (const auto& [rows, part] : damages) {
    folder_.file("pairs.csv", head + rows);
    expect(run_program("compare --replay " + folder_.path() + " 2>&1"), 3, part);
  }
  folder_.file("pairs.csv", head);
  folder_.file("counts.csv",
               "benchmark,counter,instruction_set,run,base_instructions,head_instructions,base_"
               "checksum,head_checksum\nf/a,perf,v3,0,5,5,7,7\nf/a,callgrind,v3,1,5,5,7,7\n");
  expect(run_program("compare --replay " + folder_.path() + " 2>&1"), 3,
         "counts.csv:3: column 'counter'");
}

TEST_F(Compare, ReplaysOnlyWholeGates) {
  const std::string base = build("base", {steady("f/a", 1e4), steady("f/b", 1e4)}),
                    rows = folder_.path("rows");
  expect(compare(base, base, "--measure times --output " + rows), 0, ": SAME");
  const std::string pairs = read_file(rows + "/pairs.csv");
  write_file(rows + "/pairs.csv", pairs.substr(0, pairs.rfind("f/a,19,")));
  expect(run_program("compare --replay " + rows + " 2>&1"), 3, "rows are missing");
  write_file(rows + "/pairs.csv", pairs);
  std::filesystem::remove(rows + "/gate.json");
  expect(run_program("compare --replay " + rows + " 2>&1"), 12, "interrupted before its end");
  write_file(rows + "/gate.json", "{\"base\":3}");
  expect(run_program("compare --replay " + rows + " 2>&1"), 3, "gate.json: ");
}

TEST_F(Compare, SaysWhichFolderCannotBeRead) {
  std::filesystem::create_symlink("loop", folder_.path("loop"));
  expect(compare(folder_.path("loop"), folder_.path("loop")), 3,
         "loop/manifest.toml: Too many levels of symbolic links");
}

TEST_F(Compare, NamesBenchmarksThatOneSideLacksAndComparesTheOthers) {
  const std::string base = build("base", {steady("f/a", 1e4), steady("f/old", 1e4)}),
                    head = build("head", {steady("f/a", 1e4), steady("f/new", 1e4)});
  const Outcome outcome = compare(base, head);
  expect(outcome, 0, "only in the base, not compared: f/old");
  expect(outcome, 0, "only in the head, not compared: f/new");
}

TEST_F(Compare, SaysInvalidWhereNothingCanBeCompared) {
  const std::string base = build("base", {steady("f/a", 1e4)});
  expect(compare(base, build("none", {steady("g/a", 1e4)})), 12, "no benchmark in common");
  expect(compare(base,
                 build("other", {{.name = "f/a", .ns = [](int) { return 1e4; }, .checksum = 8}})),
         12, "works out something else");
}

TEST_F(Compare, SaysInvalidWhereClocksAreWrong) {
  const std::string base = build("base", {steady("f/a", 1e4)});
  expect(compare(base, build("sleep", {steady("f/a", 1e4)}, {.sleep_ms = 101.1})), 12,
         "a sleep of 100 ms takes 101.10 ms");
  expect(compare(base, build("spin", {steady("f/a", 1e4)}, {.spin_ms = 48.9})), 12,
         "measured as 48.90 ms");
  expect(compare(base, build("overhead", {steady("f/a", 1e4)}, {.empty_ns = 10.2})), 12,
         "a call without work takes 10.2 ns");
}

TEST_F(Compare, SaysInvalidOfASuiteThatFails) {
  const std::string base = build("base", {steady("f/a", 1e4)}),
                    head = build("head", {steady("f/a", 1e4)});
  folder_.file("head/run.3", "{\"benchmarks\":[");
  expect(compare(base, head), 12, "parse error");
  folder_.file("head/run.0", fake_output(fake_entry("f/b", 1e4)));
  folder_.file("head/at", "0");
  expect(compare(base, head), 12, "'f/a' is in its list and was not run");
  folder_.file("head/suite_bench", "#!/bin/sh\nexit 3\n");
  expect(compare(base, head), 12, "exit code 3");
  folder_.file("head/suite_bench", "#!/bin/sh\nkill -SEGV $$\n");
  expect(compare(base, head), 12, "signal 11");
  folder_.file("head/suite_bench", "#!/bin/sh\nhead -c 20000000 /dev/zero | tr '\\0' '\\n'\n");
  expect(compare(base, head), 12, "prints more than");
  folder_.file("head/suite_bench", "#!/bin/sh\nprintf 'f/\\033[31m\\n'\n");
  expect(compare(base, head), 12, "which is no benchmark's name");
}

TEST_F(Compare, GatesTheInstructionsThatPerfCounts) {
  const auto counted = [](double instructions) {
    return std::vector<FakeBenchmark>{
        {.name = "f/a", .ns = [](int) { return 1e4; }, .instructions = instructions}};
  };
  const std::string base = build("base", counted(100'000));
  expect(compare(base, build("same", counted(100'900)), "--measure counts"), 0, ": SAME");
  expect(compare(base, build("slow", counted(101'100)), "--measure counts"), 10, "perf");
}

TEST_F(Compare, RefusesOptionsThatCannotBe) {
  const std::string base = build("base", {steady("f/a", 1e4)});
  expect(run_program("compare 2>&1"), 2, "needs a BASE and a HEAD");
  expect(compare(base, base, "--pairs 6"), 2, "at least 7");
  expect(compare(base, base, "--families h"), 2, "allowed: f");
  expect(compare(base, base, "--measure cycles"), 2, "cycles");
  expect(compare(base, base, "--planted-slowdown 2"), 2, "allowed: 0 to 1");
  expect(compare(base, base, "--largest-drop 0.1"), 2, "--largest-drop is for run folders");
  expect(compare(base, base, "--output ''"), 2, "--output");
  expect(run_program("compare --replay '' 2>&1"), 2, "--replay");
  for (const char* option : {"a b", "--pairs 20", "--output x", "--largest-drop 0.1"})
    expect(run_program(std::string("compare --replay x ") + option + " 2>&1"), 2, "excludes");
  expect(compare(base, folder_.path()), 2, "without suite_bench");
}

/// A repository whose builds are scripts: what `scripts/build release suite_bench` leaves is the
/// fake suite committed with it.
class CompareRevisions : public Compare {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_.path("repository/scripts"));
    make_executable(folder_.file("repository/scripts/build",
                                 "#!/bin/sh\ncd \"$(dirname \"$0\")/..\"\necho built "
                                 ">>built\nmkdir -p build/$1 && cp -r suite/. build/$1/\n"));
    git("init -q .");
  }
  void git(const std::string& arguments) {
    const Outcome outcome =
        run_shell("cd " + folder_.path("repository") + " && git -c user.name=a -c user.email=a@b " +
                  arguments + " 2>&1");
    ASSERT_EQ(outcome.code, 0) << outcome.output;
  }
  void commit(double ns) {
    std::filesystem::remove_all(folder_.path("repository/suite"));
    fake_build(folder_, "repository/suite", {steady("f/a", ns)});
    git("add -A");
    git("commit -q -m change");
  }
  Outcome compare_here(const std::string& arguments) {
    return run_shell("cd " + folder_.path("repository") +
                     " && SPECLAB_CACHE=" + folder_.path("cache") +
                     " " SPECLAB_PROGRAM " compare --measure times " + arguments + " 2>&1");
  }
};

TEST_F(CompareRevisions, BuildsThemInWorkTreesThatAreUsedAgain) {
  commit(1e4);
  commit(1.1e4);
  commit(1.1e4 + 1);
  expect(compare_here("HEAD~2 HEAD~1"), 10, ": SLOW");
  expect(compare_here("HEAD~1 HEAD"), 0, ": SAME");
  std::size_t trees = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path("cache/compare")))
    trees += std::filesystem::exists(entry.path() / "build/release/suite_bench");
  EXPECT_EQ(trees, 3u);
  expect(compare_here(fake_build(folder_, "own", {steady("f/a", 1e4)}) + " HEAD"), 10, ": SLOW");
}

/// The gate of continuous integration, with the set-up and the builds of this repository.
TEST_F(CompareRevisions, AreWhatTheScriptOfCiCompares) {
  const auto commit_counts = [this](double instructions) {
    std::filesystem::remove_all(folder_.path("repository/suite"));
    const std::string suite =
        fake_build(folder_, "repository/suite",
                   {{.name = "f/a", .ns = [](int) { return 1e4; }, .instructions = instructions}});
    std::filesystem::create_symlink(SPECLAB_PROGRAM, suite + "/speclab");
    git("add -A");
    git("commit -q -m change");
  };
  make_executable(folder_.file("repository/scripts/setup",
                               "#!/bin/sh\n[ \"$*\" = '--gate --no-torch --no-model' ]\n"));
  std::filesystem::create_directory(folder_.path("repository/.ci"));
  std::filesystem::copy_file(SPECLAB_SOURCE_DIR "/.ci/gate", folder_.path("repository/.ci/gate"));
  commit_counts(100'000);
  commit_counts(102'000);
  const std::string gate =
      "SPECLAB_CACHE=" + folder_.path("cache") + " " + folder_.path("repository/.ci/gate");
  expect(run_shell(gate + " HEAD~1 2>&1"), 10, ": SLOW");
  expect(run_shell(gate + " HEAD 2>&1"), 0, ": SAME");
  EXPECT_NE(run_shell(gate + " 2>&1").output.find("give the revision"), std::string::npos);
}

TEST_F(CompareRevisions, RefusesWhatIsNone) {
  commit(1e4);
  expect(compare_here("HEAD no-such-branch"), 2, "neither a folder nor a revision");
  expect(compare_here("HEAD -- --help"), 2, "neither a folder nor a revision");
  folder_.file("repository/scripts/build",
               "#!/bin/sh\necho 'ninja: unknown target suite_bench'\nexit 1\n");
  git("commit -q -a -m broken");
  expect(compare_here("HEAD~1 HEAD"), 2, "unknown target suite_bench");
}

}  // namespace
}  // namespace speclab::testing
