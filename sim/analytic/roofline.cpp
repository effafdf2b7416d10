#include "sim/analytic/roofline.h"

#include <algorithm>

#include "sim/analytic/arguments.h"

namespace speclab::sim {
namespace {

constexpr double kMsPerSecond = 1e3;

void expect_device(const DeviceRates& device) {
  expect_positive(device.bandwidth_bytes_per_s, "bandwidth_bytes_per_s");
  expect_positive(device.flop_per_s, "flop_per_s");
  expect_not_negative(device.launch_s, "launch_s");
}

}  // namespace

double forward_time_ms(const ModelShape& model, const DeviceRates& device,
                       const ForwardLoad& load) {
  expect_positive(model.weight_bytes, "weight_bytes");
  expect_positive(model.parameters, "parameters");
  expect_not_negative(model.kv_bytes_per_token, "kv_bytes_per_token");
  expect_device(device);
  expect_at_least(1, load.batch, "batch");
  expect_at_least(load.batch, load.rows, "rows");
  expect_at_least(0, load.context, "context");
  const double bytes = model.weight_bytes + model.kv_bytes_per_token * load.batch * load.context;
  const double operations = 2.0 * model.parameters * load.rows;
  return kMsPerSecond *
         (std::max(bytes / device.bandwidth_bytes_per_s, operations / device.flop_per_s) +
          device.launch_s);
}

double ridge_rows(const DeviceRates& device, double bytes_per_parameter) {
  expect_device(device);
  expect_positive(bytes_per_parameter, "bytes_per_parameter");
  return device.flop_per_s * bytes_per_parameter / (2.0 * device.bandwidth_bytes_per_s);
}

double offload_token_time_s(double weight_bytes, double link_bytes_per_s) {
  expect_positive(weight_bytes, "weight_bytes");
  expect_positive(link_bytes_per_s, "link_bytes_per_s");
  return weight_bytes / link_bytes_per_s;
}

}  // namespace speclab::sim
