// Bytes and energy of a generation, from the engines to the rows of a run.
#include <gtest/gtest.h>

#include <set>

#include "analysis/tables/bridges.h"
#include "analysis/tables/run_folder.h"
#include "experiments/drivers/journal/entry_json.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

using testing::SmallExperiment;

/// Catches bytes or energy that are lost on the way, and an energy that includes what was used
/// before the rounds.
TEST(Reads, OfEveryGenerationStandInTheRunsTimes) {
  const SmallExperiment experiment(testing::memory_folder());
  double joules = 1000;
  experiment.engines().joules = [&] { return joules; };
  experiment.engines().on_generation = [&] { joules += 50; };
  experiment.engines().on_round = [&] { joules += 0.25; };
  experiment.run(experiment.plan(), "run");
  for (const analysis::Generation& g : analysis::read_run(experiment.folder("run")).generations) {
    EXPECT_GE(g.read_bytes().value(), 1000 * g.rounds);
    EXPECT_DOUBLE_EQ(g.energy_j.value(), 0.25 * static_cast<double>(g.rounds));
  }
  EXPECT_NE(experiment.file("run", "times.csv").find(",a made-up meter\n"), std::string::npos);
}

/// Catches 0 J in the place of nothing.
TEST(Reads, HaveNoEnergyIfNoMeterTellsIt) {
  const SmallExperiment experiment(testing::memory_folder());
  experiment.run(experiment.plan(), "without");
  int readings = 0;
  experiment.engines().joules = [&] {
    return readings++ % 2 == 0 ? std::optional(1.0) : std::nullopt;
  };
  experiment.run(experiment.plan(), "lost");
  for (const char* name : {"without", "lost"})
    for (const analysis::Generation& g : analysis::read_run(experiment.folder(name)).generations) {
      EXPECT_EQ(g.energy_j, std::nullopt) << name;
      EXPECT_TRUE(g.read_bytes()) << name;
    }
}

/// Catches a generation whose work between two tokenizers is lost, and a row for plain decoding.
TEST(Reads, OfBridgesStandInATableOfTheirOwn) {
  const SmallExperiment experiment(testing::memory_folder());
  experiment.run(experiment.plan(), "without");
  EXPECT_TRUE(analysis::read_bridges(experiment.folder("without") + "/bridges.csv").empty());
  experiment.engines().bridge = {"re_encode", 9, 80, {.shared = 5, .draft = 6, .target = 7}, 2};
  experiment.run(experiment.plan(), "run");
  std::set<std::int64_t> drafted, crossed;
  for (const analysis::Generation& g : analysis::read_run(experiment.folder("run")).generations)
    if (!g.axes.is_plain()) drafted.insert(g.row_id);
  for (const auto& row : analysis::read_bridges(experiment.folder("run") + "/bridges.csv"))
    if (row.use.draft_tokens == 9) crossed.insert(row.row_id);
  EXPECT_FALSE(drafted.empty());
  EXPECT_EQ(crossed, drafted);
}

/// Catches an entry that a resumed run reads otherwise than it was written, and a journal of an
/// earlier revision that is refused or read as 0 bytes.
TEST(Reads, ComeBackFromTheJournal) {
  RowEntry entry{.output_hash = "0", .rounds = {}, .pieces = {}};
  entry.read = {3'000'000'000'000, 7};
  entry.energy = {0.125, "gpu"};
  const RowEntry again = row_entry(to_json(entry));
  EXPECT_EQ(again.read.value().target, 3'000'000'000'000);
  EXPECT_EQ(again.read.value().draft, 7);
  EXPECT_EQ(again.energy.value().joules, 0.125);
  EXPECT_EQ(again.energy.value().source, "gpu");
  entry.bridge = {"look_behind", 9, 80, {.shared = 5, .draft = 6, .target = 7}, 2};
  const BridgeUse bridge = row_entry(to_json(entry)).bridge.value();
  EXPECT_EQ(bridge.bridge, "look_behind");
  EXPECT_EQ(bridge.draft_tokens, 9);
  EXPECT_EQ(bridge.spelling_ns, 80);
  EXPECT_EQ(bridge.unshared_outputs, 2);
  EXPECT_EQ(bridge.overlap.shared, 5);
  EXPECT_EQ(bridge.overlap.draft, 6);
  EXPECT_EQ(bridge.overlap.target, 7);
  EXPECT_FALSE(again.bridge);
  entry.read.reset();
  entry.energy.reset();
  EXPECT_FALSE(row_entry(to_json(entry)).read);
  EXPECT_FALSE(row_entry(to_json(entry)).energy);
}

}  // namespace
}  // namespace speclab::experiments
