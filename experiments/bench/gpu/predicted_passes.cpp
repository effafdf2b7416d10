#include "experiments/bench/gpu/predicted_passes.h"

#include <algorithm>
#include <array>

#include "sim/analytic/tokens_per_round.h"

namespace speclab::engines::cuda {
namespace {

/// What is known of a device before it is measured. The H100's read bandwidth and gap of kernels were measured (results/reference/gpu_engine_h100), the H200's
/// bandwidth is that of a copy. A kernel takes 2.2 us as small products did on the H100, at best the gap in a graph, at worst as much as attention did. At
/// worst weights are read at the share that large products reached there, and rows prolong that as much as they did (16 rows 1.26, 32 rows 1.56 times one);
/// expected are 1.1 and 1.2 times, between what others report of 16 rows and of more than 64.
struct KnownDevice {
  const char* name;
  TimeModel expected, best, worst;

  Measured of(const auto& figure) const {
    const auto [low, high] = std::minmax({figure(expected), figure(best), figure(worst)});
    return {figure(expected), low, high, 0};
  }
};

constexpr double kWorstShare = 0.65;

constexpr KnownDevice known_device(const char* name, double read_gb_per_s, double tflops) {
  return {name, {read_gb_per_s, tflops, 0.007, 2.2e-3}, {read_gb_per_s, tflops, 0, 0.9e-3}, {kWorstShare * read_gb_per_s, kWorstShare * tflops, 0.018, 4e-3}};
}

constexpr std::array kDevices = {known_device("NVIDIA H100 80GB HBM3", 3099.6, 798.0), known_device("NVIDIA H200", 4300.0, 788.0)};

/// Without the input embedding, of which a row is looked up.
double multiplied_weights(const LlamaConfig& c) {
  return static_cast<double>(c.num_parameters()) - (c.tied_embeddings ? 0.0 : static_cast<double>(c.hidden_size) * c.vocab_size);
}

double floor_ms(const LlamaConfig& c, int context, double read_gb_per_s) {
  return (2.0 * multiplied_weights(c) + 4.0 * context * c.num_layers * c.kv_size()) / read_gb_per_s / 1e6;
}

void predict_passes(Rows& rows, const KnownDevice& device, const CatalogueEntry& entry, const Sizes& sizes) {
  for (const int context : sizes.contexts())
    for (const int num_rows : sizes.rows())
      rows.add(fmt::format("predicted pass at context {}", context), entry.name, num_rows, "ms",
               device.of([&](const TimeModel& model) { return model.pass_ms(*entry.shape, num_rows, context); }), floor_ms(*entry.shape, context, device.expected.read_gb_per_s));
}

struct Pair {
  const CatalogueEntry& target;
  const CatalogueEntry& drafter;
};

void predict_rounds(Rows& rows, const KnownDevice& device, const Pair& pair, int context) {
  const LlamaConfig &target = *pair.target.shape, &drafter = *pair.drafter.shape;
  for (const int drafts : {1, 2, 4, 8}) {
    const std::string drafted = fmt::format("of {} drafts from {}", drafts, pair.drafter.name);
    rows.add("predicted round " + drafted, pair.target.name, drafts + 1, "ms", device.of([&](const TimeModel& model) { return model.round_ms(target, drafter, drafts, context); }),
             floor_ms(target, context, device.expected.read_gb_per_s) + drafts * floor_ms(drafter, context, device.expected.read_gb_per_s));
    for (const double acceptance : {0.6, 0.7, 0.8, 0.9}) {
      const double tokens = sim::tokens_per_round(acceptance, drafts);
      rows.add(fmt::format("predicted speed-up at acceptance {} {}", acceptance, drafted), pair.target.name, drafts + 1, "times",
               device.of([&](const TimeModel& model) { return tokens * model.plain_ms(target, context) / model.round_ms(target, drafter, drafts, context); }), tokens);
    }
  }
}

/// Of the papers' sizes and of SmolLM2, whose own drafter is about as large as shape-15m.
bool is_drafter(const std::string& name) {
  constexpr std::array kDrafters = {"shape-15m", "shape-135m", "shape-llama-68m", "shape-gpt2-124m", "shape-opt-125m"};
  return std::ranges::find(kDrafters, name) != kDrafters.end();
}

bool is_family(const std::string& target, const std::string& drafter) {
  return target.starts_with("shape-opt-") == drafter.starts_with("shape-opt-");
}

}  // namespace

double TimeModel::pass_ms(const LlamaConfig& c, int rows, int context) const {
  const double arithmetic_ms = 2.0 * multiplied_weights(c) * rows / tflops / 1e9;
  constexpr int kKernelsOfLayer = 5, kOtherKernels = 2;
  return std::max(floor_ms(c, context, read_gb_per_s) * (1 + row_share * (rows - 1)), arithmetic_ms) + (kKernelsOfLayer * c.num_layers + kOtherKernels) * kernel_ms;
}

double TimeModel::round_ms(const LlamaConfig& target, const LlamaConfig& drafter, int drafts, int context) const {
  constexpr int kKernelsOfRound = 4;  // begin, begin verification, laws, verify
  return drafts * (pass_ms(drafter, 1, context) + kernel_ms) + pass_ms(target, drafts + 1, context) + kKernelsOfRound * kernel_ms;
}

double TimeModel::plain_ms(const LlamaConfig& target, int context) const { return round_ms(target, target, 0, context); }

void predict(const std::string& output, const std::vector<CatalogueEntry>& shapes, const Sizes& sizes) {
  for (const KnownDevice& device : kDevices) {
    Rows rows(output, device.name);
    for (const CatalogueEntry& entry : shapes) predict_passes(rows, device, entry, sizes);
    const int context = sizes.contexts().front();
    for (const CatalogueEntry& drafter : shapes)
      if (is_drafter(drafter.name)) {
        rows.add(fmt::format("predicted drafted token at context {}", context), drafter.name, 1, "ms", device.of([&](const TimeModel& model) { return model.pass_ms(*drafter.shape, 1, context) + model.kernel_ms; }),
                 floor_ms(*drafter.shape, context, device.expected.read_gb_per_s));
        for (const CatalogueEntry& target : shapes)
          if (multiplied_weights(*target.shape) > 2 * multiplied_weights(*drafter.shape) && is_family(target.name, drafter.name)) predict_rounds(rows, device, {target, drafter}, context);
      }
  }
}

}  // namespace speclab::engines::cuda
