// Bytes and energy of a generation, from the engines to the rows of a run.
#include <gtest/gtest.h>

#include "analysis/io/run_folder.h"
#include "experiments/drivers/run/entry_json.h"
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
    EXPECT_GE(g.read_bytes.value(), 1000 * g.rounds);
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
      EXPECT_TRUE(g.read_bytes) << name;
    }
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
  entry.read.reset();
  entry.energy.reset();
  EXPECT_FALSE(row_entry(to_json(entry)).read);
  EXPECT_FALSE(row_entry(to_json(entry)).energy);
}

}  // namespace
}  // namespace speclab::experiments
