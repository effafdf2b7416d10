#include "sim/analytic/roofline.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "sim/system/errors.h"
#include "tests/support/random_values.h"
#include "tests/support/refused_values.h"

namespace speclab::sim {
namespace {

using namespace speclab::testing;

const ModelShape kModel{.weight_bytes = 15e9, .parameters = 7.5e9, .kv_bytes_per_token = 131072};
const DeviceRates kDevice{.bandwidth_bytes_per_s = 4.3e12, .flop_per_s = 788e12};

TEST(ForwardTime, IsFlatUpToTheRidgeAndLinearBeyond) {
  const double ridge = ridge_rows(kDevice, kModel.weight_bytes / kModel.parameters);
  const auto rows_ms = [](int rows) {
    return forward_time_ms(kModel, kDevice, {.batch = 1, .rows = rows});
  };
  EXPECT_EQ(rows_ms(1), rows_ms(static_cast<int>(ridge)));
  EXPECT_GT(rows_ms(static_cast<int>(ridge) + 1), rows_ms(1));
  EXPECT_NEAR(rows_ms(2000) / rows_ms(1000), 2.0, 1e-12);
}

TEST(ForwardTime, NeverFallsWithAnyLoad) {
  for_random_values([](RandomValues& values) {
    ForwardLoad load{
        .batch = values.integer(1, 100), .rows = 0, .context = values.integer(0, 10000)};
    load.rows = load.batch * values.integer(1, 9);
    const double ms = forward_time_ms(kModel, kDevice, load);
    ++load.context;
    EXPECT_GE(forward_time_ms(kModel, kDevice, load), ms);
    ++load.rows;
    EXPECT_GE(forward_time_ms(kModel, kDevice, load), ms);
    EXPECT_GE(ms, 1e3 * kModel.weight_bytes / kDevice.bandwidth_bytes_per_s);
  });
}

TEST(ForwardTime, AddsTheLaunch) {
  DeviceRates slow_to_launch = kDevice;
  slow_to_launch.launch_s = 2e-3;
  EXPECT_NEAR(forward_time_ms(kModel, slow_to_launch, {}) - forward_time_ms(kModel, kDevice, {}),
              2.0, 1e-12);
}

TEST(NamedModels, HaveTheirPublishedSizes) {
  // Without the input embedding where it is not the head, and without biases and norms.
  EXPECT_NEAR(named_model("llama-3-8b").forward_parameters(), 7.5e9, 0.01e9);
  EXPECT_NEAR(named_model("llama-3.2-1b").forward_parameters(), 1.235e9, 0.001e9);
  EXPECT_NEAR(named_model("llama-2-7b").forward_parameters(), 6.738e9 - 0.131e9, 0.01e9);
  EXPECT_NEAR(named_model("llama-2-70b").forward_parameters(), 68.98e9 - 0.26e9, 0.05e9);
  EXPECT_NEAR(named_model("opt-13b").forward_parameters(), 12.85e9, 0.05e9);
  EXPECT_NEAR(named_model("opt-125m").forward_parameters(), 125.2e6 - 1.6e6, 0.2e6)
      << "and without positions";
  EXPECT_NEAR(named_model("smollm2-135m").forward_parameters(), 134.5e6, 0.1e6);
  EXPECT_NEAR(named_model("chinchilla-draft-4b").forward_parameters(), 4e9, 0.3e9);
  EXPECT_EQ(named_model("llama-3-8b").model_shape(2.0).kv_bytes_per_token, 131072.0);
  EXPECT_EQ(named_model("llama-3-8b").model_shape(2.0).weight_bytes,
            2.0 * named_model("llama-3-8b").forward_parameters());
}

/// The names in the refusal of an unknown one.
std::vector<std::string> allowed_models() {
  std::vector<std::string> models;
  try {
    named_model("gpt-99");
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    std::istringstream names(text.substr(text.find("allowed: ") + 9));
    for (std::string name; std::getline(names >> std::ws, name, ',');) models.push_back(name);
  }
  return models;
}

TEST(NamedMachines, AreAllUsable) {
  const std::vector<std::string> models = allowed_models();
  ASSERT_GT(models.size(), 5U);
  for (const std::string& model : models)
    for (const std::string& device : device_names())
      EXPECT_GT(forward_time_ms(named_model(model).model_shape(2.0), named_device(device), {}), 0.0)
          << model << " " << device;
}

TEST(NamedMachines, ListWhatIsAllowed) {
  try {
    named_model("gpt-99");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("llama-3-8b"), std::string::npos);
  }
  EXPECT_THROW(named_device(""), ConfigError);
  expect_refused([](double bytes) { named_model("opt-13b").model_shape(bytes); }, kNotPositive);
}

TEST(Offloading, IsBoundByTheLink) {
  EXPECT_EQ(offload_token_time_s(10.0, 4.0), 2.5);
  expect_refused([](double bytes) { offload_token_time_s(bytes, 1.0); }, kNotPositive);
  expect_refused([](double rate) { offload_token_time_s(1.0, rate); }, kNotPositive);
}

TEST(Roofline, RefusesArgumentsOutOfRange) {
  const auto with_model = [](auto change) {
    ModelShape model = kModel;
    change(model);
    return forward_time_ms(model, kDevice, {});
  };
  const auto with_device = [](auto change) {
    DeviceRates device = kDevice;
    change(device);
    ridge_rows(device, 2.0);
    return forward_time_ms(kModel, device, {});
  };
  expect_refused([&](double x) { with_model([&](ModelShape& model) { model.weight_bytes = x; }); },
                 kNotPositive);
  expect_refused([&](double x) { with_model([&](ModelShape& model) { model.parameters = x; }); },
                 kNotPositive);
  expect_refused(
      [&](double x) { with_model([&](ModelShape& model) { model.kv_bytes_per_token = x; }); },
      kNegative);
  expect_refused(
      [&](double x) {
        with_device([&](DeviceRates& device) { device.bandwidth_bytes_per_s = x; });
      },
      kNotPositive);
  expect_refused(
      [&](double x) { with_device([&](DeviceRates& device) { device.flop_per_s = x; }); },
      kNotPositive);
  expect_refused([&](double x) { with_device([&](DeviceRates& device) { device.launch_s = x; }); },
                 kNegative);
  expect_refused([](double bytes) { ridge_rows(kDevice, bytes); }, kNotPositive);
  for (const ForwardLoad load : {ForwardLoad{0, 1, 0}, ForwardLoad{4, 3, 0}, ForwardLoad{1, 1, -1}})
    EXPECT_THROW(forward_time_ms(kModel, kDevice, load), ContractError);
}

}  // namespace
}  // namespace speclab::sim
