// What `speclab run`, `report` and `compare` say of a device that was not this run's alone.

#include "sim/system/files.h"
#include "tests/experiments/drivers/support/small_experiment.h"
#include "tests/experiments/program/program.h"
#include "tests/support/shell.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_program;
using testing::run_shell;
using testing::SmallExperiment;

class ProgramDevice : public ::testing::Test {
 protected:
  Outcome run(const std::string& name, const std::string& processes,
              const std::string& more = "") const {
    return run_shell("env SPECLAB_FAKE_DEVICE=" + processes + " " SPECLAB_PROGRAM " run " +
                     experiment_.config_file() + " --no-report --yes --output " +
                     experiment_.folder(name) + " " + more + " 2>&1");
  }

  const SmallExperiment experiment_{testing::memory_folder()};
};

TEST_F(ProgramDevice, OfItsOwnIsToldInALine) {
  for (const std::string more : {"", "--workers 2"}) {
    const std::string name = more.empty() ? "one" : "workers";
    const Outcome alone = run(name, "0", more);
    EXPECT_EQ(alone.code, 0) << alone.output;
    EXPECT_NE(alone.output.find("device: SM clock 1980 MHz in the median, 1980 MHz at least; not "
                                "told and not told at most; 0 of 24 generations dropped\n"),
              std::string::npos)
        << alone.output;
    EXPECT_TRUE(experiment_.file(name, "device.csv").ends_with("\n23,1980,,,,,0,\n"))
        << experiment_.file(name, "device.csv");
  }
}

TEST_F(ProgramDevice, ThatIsSharedMakesTheRunInvalidForRunReportAndCompare) {
  const Outcome shared = run("shared", "2");
  EXPECT_EQ(shared.code, 12) << shared.output;
  EXPECT_NE(shared.output.find(
                "INVALID as a measurement of time: 2 other processes computed on the device; see " +
                experiment_.folder("shared") + "/device.csv"),
            std::string::npos)
      << shared.output;
  const Outcome report =
      run_program("report " + experiment_.folder("shared") + " --no-static-figures --plotly " +
                  (write_file(experiment_.folder("plotly.js"), "/* plotly */"),
                   experiment_.folder("plotly.js")) +
                  " 2>&1");
  EXPECT_EQ(report.code, 0) << report.output;
  EXPECT_NE(experiment_.file("shared", "report.html")
                .find("INVALID as a measurement of time: 2 other processes computed on the device"),
            std::string::npos);
  const Outcome compared = run_program("compare " + experiment_.folder("shared") + " " +
                                       experiment_.folder("shared") + " 2>&1");
  EXPECT_EQ(compared.code, 12) << compared.output;
  EXPECT_NE(compared.output.find(
                "2 other processes computed on the device; see device.csv and measure it again"),
            std::string::npos)
      << compared.output;
}

}  // namespace
}  // namespace speclab
