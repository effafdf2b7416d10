#include "sim/analytic/roofline.h"

#include <algorithm>
#include <utility>

#include "sim/analytic/arguments.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr double kMsPerSecond = 1e3;

void expect_device(const DeviceRates& device) {
  expect_positive(device.bandwidth_bytes_per_s, "bandwidth_bytes_per_s");
  expect_positive(device.flop_per_s, "flop_per_s");
  expect_not_negative(device.launch_s, "launch_s");
}

template <typename Value>
using Named = std::vector<std::pair<std::string, Value>>;

/// Heads that fill the hidden width, and feed-forwards of two matrices.
TransformerShape ungated(int layers, int hidden, int vocab) {
  return {.layers = layers,
          .hidden = hidden,
          .feed_forward = 4 * hidden,
          .attention_width = hidden,
          .kv_width = hidden,
          .vocab = vocab,
          .feed_forward_matrices = 2};
}

/// Zhang et al. 2022, Table 1.
TransformerShape opt(int layers, int hidden) { return ungated(layers, hidden, 50272); }

/// Raffel et al. 2020, release 1.1; the decoder.
TransformerShape t5_decoder(int layers, int hidden, int feed_forward, int attention_width) {
  return {.layers = layers,
          .hidden = hidden,
          .feed_forward = feed_forward,
          .attention_width = attention_width,
          .kv_width = attention_width,
          .vocab = 32128,
          .feed_forward_matrices = 3,
          .attention_blocks = 2};
}

/// Chen et al. 2023, Table 2: heads are 128 wide.
TransformerShape chinchilla(int layers, int hidden) { return ungated(layers, hidden, 32000); }

/// Sizes in the order of TransformerShape, from the models' released configurations.
const Named<TransformerShape>& models() {
  static const Named<TransformerShape> all{
      {"opt-125m", opt(12, 768)},
      {"opt-1.3b", opt(24, 2048)},
      {"opt-6.7b", opt(32, 4096)},
      {"opt-13b", opt(40, 5120)},
      {"opt-30b", opt(48, 7168)},
      {"llama-68m", {2, 768, 3072, 768, 768, 32000}},
      {"llama-2-7b", {32, 4096, 11008, 4096, 4096, 32000}},
      {"llama-2-13b", {40, 5120, 13824, 5120, 5120, 32000}},
      {"llama-2-70b", {80, 8192, 28672, 8192, 1024, 32000}},
      {"llama-3-8b", {32, 4096, 14336, 4096, 1024, 128256}},
      {"llama-3.2-1b", {16, 2048, 8192, 2048, 512, 128256}},
      {"smollm2-135m", {30, 576, 1536, 576, 192, 49152}},
      {"t5-small", t5_decoder(8, 512, 1024, 384)},
      {"t5-base", t5_decoder(12, 768, 2048, 768)},
      {"t5-large", t5_decoder(24, 1024, 2816, 1024)},
      {"t5-xxl", t5_decoder(24, 4096, 10240, 4096)},
      {"chinchilla-70b", chinchilla(80, 8192)},
      {"chinchilla-draft-4b", chinchilla(8, 6144)},
  };
  return all;
}

const Named<DeviceRates>& devices() {
  static const Named<DeviceRates> all{
      {"a100-pcie-80gb", {.bandwidth_bytes_per_s = 1.935e12, .flop_per_s = 312e12}},
      {"h100-sxm", {.bandwidth_bytes_per_s = 3.35e12, .flop_per_s = 989e12}},
      {"h200", {.bandwidth_bytes_per_s = 4.8e12, .flop_per_s = 989e12}},
      {"h200_measured", {.bandwidth_bytes_per_s = 4.3e12, .flop_per_s = 788e12}},
      {"rtx-4090", {.bandwidth_bytes_per_s = 1.008e12, .flop_per_s = 165e12}},
      {"tpu-v4", {.bandwidth_bytes_per_s = 1.2e12, .flop_per_s = 275e12}},
  };
  return all;
}

template <typename Value>
std::vector<std::string> names(const Named<Value>& all) {
  std::vector<std::string> result;
  for (const auto& [name, value] : all) result.push_back(name);
  return result;
}

template <typename Value>
Value look_up(const Named<Value>& all, const std::string& name, const std::string& what) {
  std::string allowed;
  for (const auto& [known, value] : all) {
    if (known == name) return value;
    allowed += (allowed.empty() ? "" : ", ") + known;
  }
  throw ConfigError("\"" + escaped(name) + "\" is no " + what +
                    " of the roofline; allowed: " + allowed);
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

double TransformerShape::forward_parameters() const {
  const double attention = 2.0 * hidden * (attention_width + kv_width);
  const double feed_forward_block =
      static_cast<double>(feed_forward_matrices) * hidden * feed_forward;
  const double further_attention =
      2.0 * hidden * attention_width;  // of an encoder, whose keys and values are made once
  return layers * (attention + (attention_blocks - 1) * further_attention + feed_forward_block) +
         static_cast<double>(hidden) * vocab;
}

ModelShape TransformerShape::model_shape(double bytes_per_parameter) const {
  expect_positive(bytes_per_parameter, "bytes_per_parameter");
  return {.weight_bytes = forward_parameters() * bytes_per_parameter,
          .parameters = forward_parameters(),
          .kv_bytes_per_token = 2.0 * layers * kv_width * bytes_per_parameter};
}

TransformerShape named_model(const std::string& name) { return look_up(models(), name, "model"); }
DeviceRates named_device(const std::string& name) { return look_up(devices(), name, "device"); }
std::vector<std::string> device_names() { return names(devices()); }

}  // namespace speclab::sim
