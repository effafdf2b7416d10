#include "experiments/bench/gpu/predicted_passes.h"

namespace speclab::engines::cuda {
namespace {

/// What is known of a device before it is measured.
struct KnownDevice {
  const char* name;
  double read_gb_per_s;    ///< H100: read, H200: copied, as measured
  double tflops;           ///< bfloat16 products
};

}  // namespace

void predict(const std::string& output, const std::vector<CatalogueEntry>& shapes, const Sizes& sizes) {
  constexpr double kKernelMs = 2.2e-3;  // start, first load, sums, end
  for (const KnownDevice& device : {KnownDevice{"NVIDIA H100 80GB HBM3", 3099.6, 798.0}, KnownDevice{"NVIDIA H200", 4300.0, 788.0}}) {
    Rows rows(output, device.name);
    for (const CatalogueEntry& entry : shapes)
      for (const int context : sizes.contexts())
        for (const int num_rows : sizes.rows()) {
          const LlamaConfig& c = *entry.shape;
          const double weights = static_cast<double>(c.num_parameters()) - (c.tied_embeddings ? 0.0 : static_cast<double>(c.hidden_size) * c.vocab_size);
          const double floor_ms = (2.0 * weights + 4.0 * context * c.num_layers * c.kv_size()) / device.read_gb_per_s / 1e6;
          const double arithmetic_ms = 2.0 * weights * num_rows / device.tflops / 1e9;
          const double ms = std::max(floor_ms, arithmetic_ms) + (5 * c.num_layers + 2) * kKernelMs;
          rows.add(fmt::format("predicted pass at context {}", context), entry.name, num_rows, "ms", {ms, ms, ms, 0}, floor_ms);
        }
  }
}

}  // namespace speclab::engines::cuda
