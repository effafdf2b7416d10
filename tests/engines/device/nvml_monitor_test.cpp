#include "engines/device/nvml_monitor.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"
#include "tests/engines/device/scripted_nvml.h"

namespace speclab::engines {
namespace {

constexpr int kNotSupported = 3, kNotFound = 6;

class NvmlMonitor : public ::testing::Test {
 protected:
  std::unique_ptr<DeviceMonitor> make() const {
    return make_nvml_monitor(testing::scripted_nvml(script_), "00000000:17:00.0");
  }

  std::shared_ptr<testing::NvmlScript> script_ = std::make_shared<testing::NvmlScript>();
};

TEST_F(NvmlMonitor, TellsWhatTheLibraryTells) {
  script_->processes = 3;
  script_->slowdowns = 0x24;
  script_->ecc_errors = 2;
  const DeviceSample sample = make()->sample();
  EXPECT_EQ(sample.sm_clock_mhz, 1980);
  EXPECT_EQ(sample.memory_clock_mhz, 2619);
  EXPECT_EQ(sample.temperature_c, 41);
  EXPECT_DOUBLE_EQ(sample.power_w.value(), 312.5);
  EXPECT_EQ(sample.slowdowns, 0x24);
  EXPECT_EQ(sample.other_processes, 2) << "this process is one of three";
  EXPECT_EQ(sample.ecc_errors, 2);
}

TEST_F(NvmlMonitor, LeavesOutWhatTheDeviceDoesNotTell) {
  script_->code = kNotSupported;
  const DeviceSample sample = make()->sample();
  EXPECT_EQ(sample.sm_clock_mhz, 1980);
  EXPECT_FALSE(sample.temperature_c || sample.power_w || sample.slowdowns ||
               sample.other_processes || sample.ecc_errors);
}

TEST_F(NvmlMonitor, CountsNoOtherProcessWhereItsOwnIsHiddenToo) {
  script_->processes = 0;
  EXPECT_EQ(make()->sample().other_processes, 0);
}

TEST_F(NvmlMonitor, ThrowsWhenTheDeviceIsGone) {
  const auto monitor = make();
  script_->clock_code = NvmlFunctions::kGpuIsLost;
  EXPECT_THROW(monitor->sample(), DeviceError);
}

TEST_F(NvmlMonitor, IsNoneWhereTheLibraryDoesNotKnowTheDevice) {
  script_->find_code = kNotFound;
  EXPECT_EQ(make(), nullptr);
  *script_ = {.start_code = kNotFound};
  EXPECT_EQ(make(), nullptr);
}

TEST_F(NvmlMonitor, OpensTheDriversLibraryOrNone) {
  if (auto nvml = open_nvml()) EXPECT_EQ(make_nvml_monitor(*std::move(nvml), "no bus id"), nullptr);
}

}  // namespace
}  // namespace speclab::engines
