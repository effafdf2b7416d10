// Long sweeps: memory that does not grow with what was measured, journals of many rows that are
// opened again soon. Small unless SPECLAB_ENDURANCE is set; then 10,000 cells and a million rows,
// and the times are asserted, which a line "endurance,NAME,VALUE" prints.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/stats/intervals.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/journal/work_keys.h"
#include "sim/system/files.h"
#include "tests/experiments/drivers/support/journal_payloads.h"
#include "tests/experiments/drivers/support/small_experiment.h"
#include "tests/support/file_faults.h"

namespace speclab::experiments {
namespace {

using testing::SmallExperiment;
using testing::TemporaryFolder;
using Clock = std::chrono::steady_clock;

constexpr double kMostGrowth =
    0.01;  ///< of the resident memory, a 1,000 cells: 1e5 cells no more than double it
constexpr double kMostMsPerCell = 0.3;    ///< lost beside generations of 100 ms
constexpr double kMostSecondsToOpen = 2;  ///< a million rows, as long as loading a model

bool is_long() { return std::getenv("SPECLAB_ENDURANCE") != nullptr; }

void say(const std::string& name, double value) {
  fmt::print("endurance,{},{:.6g}\n", name, value);
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

std::int64_t num_descriptors() {
  const auto all = std::filesystem::directory_iterator("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

constexpr int kCellsOfATemperature = 9;

/// Cells of one generation each, at as many temperatures as it takes.
Plan wide_plan(const SmallExperiment& experiment, int num_cells) {
  std::string temperatures = "0.0";
  for (int i = 1; i < num_cells / kCellsOfATemperature; ++i)
    temperatures += fmt::format(", {}", i / 1000.0);
  return experiment.plan({"prompts.per_category=1", R"(prompts.categories=["chat"])",
                          fmt::format("axes.temperature=[{}]", temperatures),
                          R"(axes.policy=["constant:1", "constant:2", "constant:3", "constant:4"])",
                          R"(axes.drafter=["none", "bigram", "tree"])"});
}

struct Sample {
  std::int64_t bytes = 0, descriptors = 0;
};

TEST(Endurance, MemoryAndDescriptorsStayAsTheSweepGoesOn) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer keeps what was freed";
#endif
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = wide_plan(experiment, is_long() ? 10'008 : 2'016);
  std::vector<Sample> samples;  // one a generation, of pilots and warm-up too
  samples.reserve(4 * plan.cells.size());
  Clock::time_point begin;
  experiment.engines().on_generation = [&] {
    if (experiment.engines().num_generations % 100 == 0)
      samples.push_back({resident_bytes(), num_descriptors()});
  };
  experiment.run(plan, "run");
  ASSERT_EQ(plan.cells.size(), plan.generations.size());
  const std::size_t num_hundreds =
      plan.cells.size() / 100 - 2;  // the first of them fill the caches
  const Sample &first = samples[samples.size() - num_hundreds], &last = samples.back();
  const double slope =
      static_cast<double>(last.bytes - first.bytes) / static_cast<double>(num_hundreds) * 10;
  say("cells", static_cast<double>(plan.cells.size()));
  say("resident_bytes", static_cast<double>(first.bytes));
  say("bytes_per_1000_cells", slope);
  EXPECT_LE(slope, kMostGrowth * static_cast<double>(first.bytes));
  EXPECT_EQ(first.descriptors, last.descriptors);
}

TEST(Endurance, TheHarnessCostsLittleACell) {
  const SmallExperiment experiment(testing::memory_folder());  // where a sync costs nothing
  const Plan plan = wide_plan(experiment, is_long() ? 10'008 : 504);
  Clock::time_point first, last;
  experiment.engines().on_generation = [&] {
    last = Clock::now();
    if (experiment.engines().num_generations == static_cast<int>(plan.pilots.size()) + 1)
      first = last;
  };
  experiment.run(plan, "run");
  const double ms = std::chrono::duration<double, std::milli>(last - first).count() /
                    static_cast<double>(plan.cells.size());
  say("ms_per_cell", ms);
  EXPECT_EQ(RunLog(plan, experiment.folder("run")).rows().size(), plan.generations.size());
  if (is_long()) {
    EXPECT_LE(ms, kMostMsPerCell);
  }
}

RowEntry row_with_rounds() {
  RowEntry row{.prompt_tokens = 40,
               .output_tokens = 24,
               .output_hash = "0123456789abcdef",
               .prefill_ns = 1'000'000,
               .rounds = {},
               .pieces = {}};
  for (std::int32_t round = 0; round < 8; ++round)
    row.rounds.push_back({.round = round,
                          .position = 40 + 3 * round,
                          .drafted = 3,
                          .rows = 4,
                          .depth = 3,
                          .accepted = 2,
                          .tested = 3,
                          .emitted = 3,
                          .draft_ns = 1'000'000,
                          .target_ns = 12'345'678});
  return row;
}

void write_journal(const std::string& folder, std::int64_t num_rows) {
  make_folder(folder);
  Journal journal = Journal::open(folder);
  const auto append = [&](const char* kind, const std::string& key, const Json& entry) {
    journal.append(entry_payload({.kind = kind, .section = 1, .key = key, .json = {}}, entry));
  };
  append("header", "", to_json(HeaderEntry{.started_at = "now", .plan_digest = "p"}));
  const Json row = to_json(row_with_rounds());
  for (std::int64_t i = 0; i < num_rows; ++i)
    append("row", fmt::format("0123456789abcdef-fedcba9876543210-{}", i), row);
}

/// What the harness pays besides, on the disk that the checkout is on: the median, since a disk
/// that is busy with others' writes takes now and then much longer.
TEST(Endurance, EveryLineOfAJournalIsSyncedToTheDisk) {
  const TemporaryFolder folder(std::filesystem::read_symlink("/proc/self/exe").parent_path());
  const int num_lines = is_long() ? 1000 : 20;
  Journal journal = Journal::open(folder.path());
  const std::string payload = entry_payload(
      {.kind = "row", .section = 1, .key = "0123456789abcdef-fedcba9876543210-0", .json = {}},
      to_json(row_with_rounds()));
  std::vector<double> ms;
  int num_syncs = 0;
  const testing::FileFaults watch(folder.path(), [&](const testing::FileOperation& operation) {
    num_syncs += operation.call == testing::FileCall::fsync;
    return testing::FileVerdict{};
  });
  for (int i = 0; i < num_lines; ++i) {
    const int before = num_syncs;
    const auto begin = Clock::now();
    journal.append(payload);
    ms.push_back(1000 * seconds_since(begin));
    EXPECT_GT(num_syncs, before) << i;
  }
  say("synced_lines", num_lines);
  say("sync_ms", analysis::median(ms).value);
  EXPECT_EQ(testing::journal_payloads(folder.path()),
            std::vector<std::string>(static_cast<std::size_t>(num_lines), payload));
}

TEST(Endurance, AJournalOfManyRowsIsOpenedSoon) {
  const TemporaryFolder folder(testing::memory_folder());
  const std::int64_t num_rows = is_long() ? 1'000'000 : 20'000;
  write_journal(folder.path("run"), num_rows);
  const auto begin = Clock::now();
  const RunLog log(folder.path("run"));
  const double seconds = seconds_since(begin);
  say("rows", static_cast<double>(num_rows));
  say("journal_bytes",
      static_cast<double>(std::filesystem::file_size(folder.path("run") + "/journal")));
  say("open_seconds", seconds);
  EXPECT_EQ(log.sections().at(1).rows.size(), static_cast<std::size_t>(num_rows));
  if (is_long()) {
    EXPECT_LE(seconds, kMostSecondsToOpen);
  }
}

}  // namespace
}  // namespace speclab::experiments
