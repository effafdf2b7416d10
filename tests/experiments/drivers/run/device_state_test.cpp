// What becomes of a run whose device is throttled, shared, damaged or gone. @source criterion BEN-6
// of the project's plan
#include "analysis/tables/device_state.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/tables/run_folder.h"
#include "tests/engines/device/scripted_nvml.h"
#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::experiments {
namespace {

using testing::NvmlScript;
using testing::SmallExperiment;

constexpr int kGenerations = 24, kNotSupported = 3;

struct Scenario {
  const char* name;
  std::function<void(int sample, NvmlScript& script)> play;
  std::size_t dropped = 0;
  std::string fault = "";
};

void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

/// The reason in samples [5, 5 + count).
auto slowed(unsigned long long reason, int count = 1) {
  return [=](int sample, NvmlScript& script) {
    script.slowdowns = sample >= 5 && sample < 5 + count ? reason : 0;
  };
}

auto clocked(unsigned mhz, int count = 1) {
  return [=](int sample, NvmlScript& script) {
    script.sm_mhz = sample >= 5 && sample < 5 + count ? mhz : 2000;
  };
}

std::vector<Scenario> scenarios() {
  return {{"Steady", [](int, NvmlScript&) {}},
          {"PowerCap", slowed(0x4), 1},
          {"HardwareSlowdown", slowed(0x8), 1},
          {"Thermal", slowed(0x20), 1},
          {"HardwareThermal", slowed(0x40), 1},
          {"PowerBrake", slowed(0x80), 1},
          {"ThermalWhileIdleBitIsSet", slowed(0x21), 1},
          {"Idle", slowed(0x1, 24)},
          {"ClocksSetByTheUser", slowed(0x2, 24)},
          {"SyncBoost", slowed(0x10, 24)},
          {"ThermalTooOften", slowed(0x20, 2), 2, "2 of 24 generations were dropped"},
          {"ThermalAlways", slowed(0x20, 24), 19, "19 of 24 generations were dropped"},
          {"ClockOf90Percent", clocked(1800)},
          {"ClockBelow90Percent", clocked(1799), 1},
          {"ClockBelow90PercentTooOften", clocked(1700, 3), 3, "3 of 24 generations were dropped"},
          {"ClockAbove", clocked(2400, 3)},
          {"ClockDrifts",
           [](int sample, NvmlScript& script) {
             script.sm_mhz = 2000 - 5 * static_cast<unsigned>(sample);
           }},
          {"ClockOfZeroOnce", clocked(0), 1},
          {"ClockOfZeroAlways", [](int, NvmlScript& script) { script.sm_mhz = 0; }, 0,
           "stood at 0 MHz"},
          {"AnotherProcess",
           [](int sample, NvmlScript& script) { script.processes = sample == 7 ? 2 : 1; }, 0,
           "1 other process computed on the device"},
          {"OtherProcesses", [](int, NvmlScript& script) { script.processes = 4; }, 0,
           "3 other processes computed on the device"},
          {"MemoryError",
           [](int sample, NvmlScript& script) { script.ecc_errors = sample == 23 ? 1 : 0; }, 0,
           "1 uncorrected error"},
          {"ToldNothing",
           [](int, NvmlScript& script) { script.code = script.clock_code = kNotSupported; }},
          {"ToldNoClocks",
           [](int sample, NvmlScript& script) {
             script.clock_code = kNotSupported, script.slowdowns = sample == 5 ? 0x40 : 0;
           },
           1}};
}

/// Engines on a device that plays a script.
std::function<DeviceSample()> scripted_device(const std::function<void(int, NvmlScript&)>& play) {
  const auto script = std::make_shared<NvmlScript>();
  const std::shared_ptr<engines::DeviceMonitor> monitor =
      engines::make_nvml_monitor(testing::scripted_nvml(script), "");
  return [=, samples = 0]() mutable {
    play(samples++, *script);
    return monitor->sample();
  };
}

class DeviceOfARun : public ::testing::TestWithParam<Scenario> {
 protected:
  const SmallExperiment experiment_{testing::memory_folder()};
};

TEST_P(DeviceOfARun, IsJudged) {
  experiment_.engines().device = scripted_device(GetParam().play);
  experiment_.run(experiment_.plan(), "run");
  const analysis::Run run = analysis::read_run(experiment_.folder("run"));
  EXPECT_EQ(run.device.n, std::size_t{kGenerations});
  EXPECT_EQ(run.device.dropped.size(), GetParam().dropped) << analysis::device_note(run.device);
  EXPECT_EQ(run.generations.size(), kGenerations - GetParam().dropped);
  EXPECT_EQ(run.num_measured(), std::size_t{kGenerations});
  for (const auto& [row, why] : run.device.dropped)
    EXPECT_FALSE(run.generation_of_row.contains(row)) << why;
  if (GetParam().fault.empty())
    EXPECT_EQ(run.device.fault, "");
  else
    EXPECT_NE(run.device.fault.find(GetParam().fault), std::string::npos) << run.device.fault;
}

INSTANTIATE_TEST_SUITE_P(, DeviceOfARun, ::testing::ValuesIn(scenarios()),
                         [](const auto& named) { return std::string(named.param.name); });

TEST(DeviceState, ThatDisappearsIsAFailureAndTheRunGoesOnAfterIt) {
  const SmallExperiment experiment(testing::memory_folder());
  const Plan plan = experiment.plan();
  experiment.engines().device = scripted_device([](int sample, NvmlScript& script) {
    script.clock_code = sample == 5 ? engines::NvmlFunctions::kGpuIsLost : 0;
  });
  experiment.run(plan, "run");
  EXPECT_NE(experiment.file("run", "failures.csv").find(",device,"), std::string::npos);
  experiment.run(plan, "run");
  EXPECT_FALSE(std::filesystem::exists(experiment.folder("run") + "/failures.csv"));
  EXPECT_EQ(analysis::read_run(experiment.folder("run")).device.n, std::size_t{kGenerations});
}

TEST(DeviceState, ThatIsTheProcessorLeavesNoTable) {
  const SmallExperiment experiment(testing::memory_folder());
  experiment.run(experiment.plan(), "run");
  EXPECT_FALSE(std::filesystem::exists(experiment.folder("run") + "/device.csv"));
}

TEST(DeviceState, ThatWasDisturbedIsSaidInALine) {
  analysis::DeviceRow rows[] = {{7, {.sm_clock_mhz = 1980, .temperature_c = 50, .power_w = 400.0}},
                                {8, {.sm_clock_mhz = 1000, .temperature_c = 61, .power_w = 420.5}},
                                {9, {.sm_clock_mhz = 1980}}};
  EXPECT_EQ(analysis::device_summary(analysis::device_state(rows)),
            "SM clock 1980 MHz in the median, 1000 MHz at least; 61 °C and 420.5 W at most; 1 of 3 "
            "generations dropped");
  EXPECT_NE(analysis::device_note(analysis::device_state(rows))
                .find("INVALID as a measurement of time: 1 of 3 generations were dropped"),
            std::string::npos);
  EXPECT_EQ(analysis::device_summary({}), "");
}

}  // namespace
}  // namespace speclab::experiments
