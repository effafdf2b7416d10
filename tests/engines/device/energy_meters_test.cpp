// Meters over a folder that looks like the kernel's, and over a scripted library.

#include "engines/device/energy_meters.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/engines/device/scripted_nvml.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines {
namespace {

namespace fs = std::filesystem;

class RaplMeter : public ::testing::Test {
 protected:
  void add_domain(const std::string& name, const std::string& kind, std::int64_t microjoules) {
    fs::create_directories(folder_ / name);
    write(name + "/name", kind);
    write(name + "/max_energy_range_uj", "1000000000");
    count(name, microjoules);
  }
  void count(const std::string& name, std::int64_t microjoules) {
    write(name + "/energy_uj", std::to_string(microjoules));
  }
  void write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file) << text << "\n";
  }
  std::unique_ptr<EnergyMeter> make() const { return make_rapl_meter(folder_); }

  const speclab::testing::TemporaryFolder scratch_;
  const fs::path folder_{scratch_.path()};
};

/// Catches a meter that tells the counter itself, or that takes microjoules for joules.
TEST_F(RaplMeter, TellsJoulesSinceItWasMade) {
  add_domain("intel-rapl:0", "package-0", 700'000'000);
  const auto meter = make();
  ASSERT_NE(meter, nullptr);
  EXPECT_EQ(meter->joules(), 0.0);
  count("intel-rapl:0", 702'500'000);
  EXPECT_DOUBLE_EQ(meter->joules().value(), 2.5);
  EXPECT_EQ(meter->source(), "cpu packages");
}

/// Catches a meter that adds cores or the whole platform to the package that holds them, and one
/// that reads the first package alone.
TEST_F(RaplMeter, AddsEveryPackageOnceAndNoOtherDomain) {
  fs::create_directories(folder_ / "intel-rapl");
  for (const auto& [name, kind] :
       std::vector<std::pair<std::string, std::string>>{{"intel-rapl:0", "package-0"},
                                                        {"intel-rapl:0:0", "core"},
                                                        {"intel-rapl:1", "package-1"},
                                                        {"intel-rapl:2", "psys"},
                                                        {"intel-rapl-mmio:0", "package-0"}})
    add_domain(name, kind, 0);
  const auto meter = make();
  ASSERT_NE(meter, nullptr);
  count("intel-rapl:0", 1'000'000);
  count("intel-rapl:0:0", 16'000'000);
  count("intel-rapl:1", 2'000'000);
  count("intel-rapl:2", 32'000'000);
  count("intel-rapl-mmio:0", 64'000'000);
  EXPECT_DOUBLE_EQ(meter->joules().value(), 3.0);
}

/// Catches a negative energy, and one that forgets what was counted before the counter began again.
TEST_F(RaplMeter, GoesOnWhereTheCounterBeginsAgain) {
  add_domain("intel-rapl:0", "package-0", 999'000'000);
  const auto meter = make();
  count("intel-rapl:0", 3'000'000);
  EXPECT_DOUBLE_EQ(meter->joules().value(), 4.0);
  count("intel-rapl:0", 4'000'000);
  EXPECT_DOUBLE_EQ(meter->joules().value(), 5.0);
}

/// Catches a range that is not there and counts as 0.
TEST_F(RaplMeter, TellsNothingIfTheCounterBeganAgainAtAnUnknownValue) {
  add_domain("intel-rapl:0", "package-0", 999'000'000);
  fs::remove(folder_ / "intel-rapl:0/max_energy_range_uj");
  const auto meter = make();
  count("intel-rapl:0", 3'000'000);
  EXPECT_EQ(meter->joules(), std::nullopt);
}

/// Catches a zero, or the half that one of two packages tells, in the place of nothing. A file that
/// holds no number stands for one that only root may read: tests may run as root.
TEST_F(RaplMeter, IsNoneUnlessEveryPackageCanBeRead) {
  EXPECT_EQ(make(), nullptr) << "no domain";
  EXPECT_EQ(make_rapl_meter(folder_ / "none"), nullptr) << "no folder";
  add_domain("intel-rapl:0", "package-0", 5);
  EXPECT_NE(make(), nullptr);
  add_domain("intel-rapl:1", "package-1", 5);
  write("intel-rapl:1/energy_uj", "");
  EXPECT_EQ(make(), nullptr);
}

/// Catches a meter that goes on with an old reading.
TEST_F(RaplMeter, TellsNothingOfACounterThatDisappeared) {
  add_domain("intel-rapl:0", "package-0", 5);
  const auto meter = make();
  fs::remove(folder_ / "intel-rapl:0/energy_uj");
  EXPECT_EQ(meter->joules(), std::nullopt);
}

class NvmlEnergyMeter : public ::testing::Test {
 protected:
  std::unique_ptr<EnergyMeter> make() const {
    return make_nvml_energy_meter(testing::scripted_nvml(script_), "00000000:17:00.0");
  }

  std::shared_ptr<testing::NvmlScript> script_ = std::make_shared<testing::NvmlScript>();
};

/// Catches the energy since the driver was loaded, and millijoules taken for joules.
TEST_F(NvmlEnergyMeter, TellsJoulesSinceItWasMade) {
  script_->millijoules = 9'000'000;
  const auto meter = make();
  ASSERT_NE(meter, nullptr);
  script_->millijoules += 1500;
  EXPECT_DOUBLE_EQ(meter->joules().value(), 1.5);
  script_->code = 3;
  EXPECT_EQ(meter->joules(), std::nullopt);
}

/// Catches a call of a function that an old library does not have, and a meter that is always
/// empty.
TEST_F(NvmlEnergyMeter, IsNoneIfTheLibraryOrTheDeviceDoesNotTellIt) {
  NvmlFunctions without = testing::scripted_nvml(script_);
  without.energy = nullptr;
  EXPECT_EQ(make_nvml_energy_meter(without, ""), nullptr);
  script_->code = 3;
  EXPECT_EQ(make(), nullptr);
  *script_ = {.find_code = 6};
  EXPECT_EQ(make(), nullptr);
}

/// Catches a sum that counts a meter which tells nothing as 0 J.
TEST_F(NvmlEnergyMeter, IsAddedToOthersOrNone) {
  const auto sum_of = [&](std::unique_ptr<EnergyMeter> other) {
    std::vector<std::unique_ptr<EnergyMeter>> meters;
    meters.push_back(std::move(other));
    meters.push_back(make());
    return sum_of_meters(std::move(meters));
  };
  const auto two = sum_of(make());
  script_->millijoules = 500;
  EXPECT_DOUBLE_EQ(two->joules().value(), 1.0);
  EXPECT_EQ(two->source(), "gpu + gpu");
  EXPECT_EQ(sum_of(nullptr)->source(), "gpu");
  script_->code = 3;
  EXPECT_EQ(two->joules(), std::nullopt);
  EXPECT_EQ(sum_of(nullptr), nullptr);
}

}  // namespace
}  // namespace speclab::engines
