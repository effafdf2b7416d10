#include "experiments/bench/gpu/predicted_times.h"

#include <array>

#include "engines/cuda/layer_block.h"
#include "sim/analytic/tokens_per_round.h"

namespace speclab::engines::cuda {
namespace {

/// Best: the gap between kernels whose starts overlap, and rows that cost nothing. Expected: fitted
/// to passes of the present kernels on an H200 (results/reference/gpu_h200): what the 135M shape
/// took beyond its bytes at the full read bandwidth, a kernel, and what 16 rows cost the 8B shape.
/// Worst: so much that no pass of the kernels of revision 7ee08a37 took longer on an H100.
KnownDevice known_device(const char* name, double read_gb_per_s, double tflops) {
  constexpr double kRowShare = 0.0123, kWorstShare = 0.65;
  return {name,
          {read_gb_per_s, tflops, 0, 0.49e-3},
          {read_gb_per_s, tflops, kRowShare, 3.07e-3},
          {kWorstShare * read_gb_per_s, kWorstShare * tflops, 0.057, 10.5e-3}};
}

double floor_ms(const DecoderShape& c, int context, double read_gb_per_s) {
  return (2.0 * static_cast<double>(parameters_read(c)) +
          4.0 * context * c.num_layers * c.kv_size()) /
         read_gb_per_s / 1e6;
}

void predict_passes(Rows& rows, const KnownDevice& device, const CatalogueEntry& entry,
                    const Sizes& sizes) {
  for (const int context : sizes.contexts())
    for (const int num_rows : sizes.rows())
      rows.add(fmt::format("predicted pass at context {}", context), entry.name, num_rows, "ms",
               device.of([&](const TimeModel& model) {
                 return model.pass_ms(*entry.shape, num_rows, context);
               }),
               floor_ms(*entry.shape, context, device.best.read_gb_per_s));
}

/// How fast a device reads pinned host memory: PCI Express 5.0 with 16 lanes carries 63 GB/s. Best:
/// that, expected: what its packets leave, worst: generation 4.
constexpr double kBestCopy = 63.0, kExpectedCopy = 55.0, kWorstCopy = 25.0;

/// Copies of layers hide all kernels but those of the last layer and the head; the first layer has
/// nothing in front of it.
void predict_passes_from_host(Rows& rows, const KnownDevice& device, const CatalogueEntry& entry,
                              const Sizes& sizes) {
  const DecoderShape& shape = *entry.shape;
  DecoderShape last_layer = shape;
  last_layer.num_layers = 1;
  const int context = sizes.contexts().front();
  const auto bytes = static_cast<double>(LayerBlock(shape).bytes() * shape.num_layers);
  for (const int num_rows : sizes.ladder_rows()) {
    const auto pass_ms = [&](const TimeModel& model, double copy_gb_per_s) {
      return bytes / copy_gb_per_s / 1e6 + model.pass_ms(last_layer, num_rows, context);
    };
    rows.add(fmt::format("predicted pass with layers from the host at context {}", context),
             entry.name, num_rows, "ms",
             {pass_ms(device.expected, kExpectedCopy), pass_ms(device.best, kBestCopy),
              pass_ms(device.worst, kWorstCopy), 0},
             bytes / kBestCopy / 1e6);
  }
}

struct Pair {
  const CatalogueEntry& target;
  const CatalogueEntry& drafter;
};

void predict_rounds(Rows& rows, const KnownDevice& device, const Pair& pair, int context) {
  const DecoderShape &target = *pair.target.shape, &drafter = *pair.drafter.shape;
  for (const int drafts : {1, 2, 4, 8}) {
    const std::string drafted = fmt::format("of {} drafts from {}", drafts, pair.drafter.name);
    rows.add("predicted round " + drafted, pair.target.name, drafts + 1, "ms",
             device.of([&](const TimeModel& model) {
               return model.round_ms(target, drafter, drafts, context);
             }),
             floor_ms(target, context, device.best.read_gb_per_s) +
                 drafts * floor_ms(drafter, context, device.best.read_gb_per_s));
    for (const double acceptance : {0.6, 0.7, 0.8, 0.9}) {
      const double tokens = sim::tokens_per_round(acceptance, drafts);
      rows.add(fmt::format("predicted speed-up at acceptance {} {}", acceptance, drafted),
               pair.target.name, drafts + 1, "times", device.of([&](const TimeModel& model) {
                 return tokens * model.plain_ms(target, context) /
                        model.round_ms(target, drafter, drafts, context);
               }),
               tokens);
    }
  }
}

/// Of the papers' sizes and of SmolLM2, whose own drafter is about as large as shape-15m.
bool is_drafter(const std::string& name) {
  constexpr std::array kDrafters = {"shape-15m", "shape-135m", "shape-llama-68m",
                                    "shape-llama-3.2-1b", "shape-opt-125m-gated"};
  return std::ranges::find(kDrafters, name) != kDrafters.end();
}

void predict_drafter(Rows& rows, const KnownDevice& device, const CatalogueEntry& drafter,
                     int context) {
  rows.add(fmt::format("predicted drafted token at context {}", context), drafter.name, 1, "ms",
           device.of([&](const TimeModel& model) {
             return model.pass_ms(*drafter.shape, 1, context) + model.kernel_ms;
           }),
           floor_ms(*drafter.shape, context, device.best.read_gb_per_s));
}

}  // namespace

double TimeModel::pass_ms(const DecoderShape& c, int rows, int context) const {
  const double arithmetic_ms = 2.0 * static_cast<double>(parameters_read(c)) * rows / tflops / 1e9;
  constexpr int kKernelsOfLayer = 5, kOtherKernels = 2;
  return std::max(floor_ms(c, context, read_gb_per_s) * (1 + row_share * (rows - 1)),
                  arithmetic_ms) +
         (kKernelsOfLayer * c.num_layers + kOtherKernels) * kernel_ms;
}

double TimeModel::round_ms(const DecoderShape& target, const DecoderShape& drafter, int drafts,
                           int context) const {
  constexpr int kKernelsOfRound = 4;  // begin, begin verification, laws, verify
  const double second_row_ms =
      drafts == 0 ? 0
                  : pass_ms(drafter, 2, context) -
                        pass_ms(drafter, 1, context);  // the first pass reads the token before too
  return drafts * (pass_ms(drafter, 1, context) + kernel_ms) + second_row_ms +
         pass_ms(target, drafts + 1, context) + kKernelsOfRound * kernel_ms;
}

double TimeModel::plain_ms(const DecoderShape& target, int context) const {
  return round_ms(target, target, 0, context);
}

const std::vector<KnownDevice>& known_devices() {
  static const std::vector<KnownDevice> all = {known_device("NVIDIA H100 80GB HBM3", 3099.6, 798.0),
                                               known_device("NVIDIA H200", 4545.2, 788.0)};
  return all;
}

bool is_pair(const DecoderShape& target, const DecoderShape& drafter) {
  return target.vocab_size == drafter.vocab_size &&
         parameters_read(target) > 2 * parameters_read(drafter);
}

void predict(const std::string& output, const std::vector<CatalogueEntry>& shapes,
             const Sizes& sizes) {
  for (const KnownDevice& device : known_devices()) {
    Rows rows(output, device.name);
    for (const CatalogueEntry& entry : shapes) {
      predict_passes(rows, device, entry, sizes);
      predict_passes_from_host(rows, device, entry, sizes);
    }
    const int context = sizes.contexts().front();
    for (const CatalogueEntry& drafter : shapes) {
      if (!is_drafter(drafter.name)) continue;
      predict_drafter(rows, device, drafter, context);
      for (const CatalogueEntry& target : shapes)
        if (is_pair(*target.shape, *drafter.shape))
          predict_rounds(rows, device, {target, drafter}, context);
    }
  }
}

}  // namespace speclab::engines::cuda
