#include "experiments/bench/gpu/gpu_bench.h"

#include <array>

#include "engines/cuda/device_llama.h"
#include "engines/cuda/kv_cache_cuda.h"

namespace speclab::engines::cuda {
namespace {

struct NamedForm {
  const char* name;
  ProductForm form;
};
constexpr NamedForm kForms[] = {{"weights at once", ProductForm::at_once},
                                {"activations kept", ProductForm::kept},
                                {"weights streamed", ProductForm::streamed}};

struct NamedKernel {
  const char* name;
  PassKernel kernel;
};
constexpr NamedKernel kKernels[] = {{"embed", embed_kernel},
                                    {"qkv", query_key_value_kernel},
                                    {"attention", attention_kernel},
                                    {"attention output", attention_output_kernel},
                                    {"gate and up", gate_up_kernel},
                                    {"down", down_kernel},
                                    {"head", head_kernel}};
constexpr std::uint32_t kAllKernels = 127;

/// A chain of rows behind a context, on the device.
class ChainPass {
 public:
  ChainPass(Bench& bench, const CatalogueEntry& entry, const DeviceLlama& llama, int context,
            int rows)
      : bench_(bench),
        llama_(llama),
        cache_(*entry.shape, bench.device, 1, context + kMaxRows),
        state_(state_of(context, rows)) {
    const int bucket = std::max(8, rows);
    shape_ = {bucket, bucket, 1, bucket, cache_.splits_for(context + rows)};
    cache_.make_room(shape_);
  }

  void put(std::uint32_t left_out = 0) const {
    PassShape shape = shape_;
    shape.left_out = left_out;
    llama_.put_pass(state_.data(), cache_, shape);
  }

  Measured time(std::uint32_t left_out = 0) const {
    const Graph graph(bench_.context(), [&] { put(left_out); });
    return bench_.time([&] { graph.launch(bench_.context()); });
  }

  Measured time_few() const {
    const Graph graph(bench_.context(), [&] { put(); });
    return bench_.time_few([&] { graph.launch(bench_.context()); });
  }

 private:
  static DeviceArray<ForwardState> state_of(int context, int rows) {
    ForwardState state{};
    state.num_rows = state.num_wanting = rows;
    state.num_groups = 1;
    state.groups[0] = {0, rows, 0, context + rows, context};
    for (int i = 0; i < rows; ++i) {
      state.rows[i] = {i + 7, context + i, 0, context + i, context + i + 1, context, 0};
      state.wanting[i] = i;
    }
    return on_device<ForwardState>(std::span(&state, 1));
  }

  Bench& bench_;
  const DeviceLlama& llama_;
  KvCacheCuda cache_;
  DeviceArray<ForwardState> state_;
  PassShape shape_{};
};

double ideal_ms(const CatalogueEntry& entry, const DeviceLlama& llama, int context,
                const Measured& read) {
  const DecoderShape& c = *entry.shape;
  return (static_cast<double>(llama.weight_bytes()) + 4.0 * context * c.num_layers * c.kv_size()) /
         read.median / 1e6;
}

/// One shape in one form after the other.
struct ShapePasses {
  Bench& bench;
  const CatalogueEntry& entry;
  const DeviceLlama& llama;
  const Measured& read;

  double measure(const std::string& suffix, int context, int rows) const {
    const Measured each = ChainPass(bench, entry, llama, context, rows).time();
    bench.rows.add(fmt::format("pass at context {}{}", context, suffix), entry.name, rows, "ms",
                   each, ideal_ms(entry, llama, context, read));
    return each.median;
  }

  void measure_all(const std::string& suffix) const {
    for (const int context : bench.sizes.contexts()) {
      if (context + kMaxRows > entry.shape->context_length) continue;
      for (const int rows : bench.sizes.rows()) measure(suffix, context, rows);
    }
  }

  /// The fastest form of a pass of one row; every form at the rows of the ladder.
  NamedForm best_form() const {
    NamedForm best = kForms[0];
    double least = 0;
    for (const NamedForm& form : kForms) {
      bench.device.choose(form.form);
      for (const int rows : bench.sizes.ladder_rows()) {
        const double ms =
            measure(fmt::format(" with {}", form.name), bench.sizes.contexts().front(), rows);
        if (rows == 1 && (least == 0 || ms < least)) best = form, least = ms;
      }
    }
    return best;
  }
};

/// The rate of copies from pinned host memory.
Measured copy_rate(Bench& bench, std::size_t bytes) {
  const PinnedArray<std::uint8_t> from(bytes);
  const DeviceArray<std::uint8_t> to(bytes);
  return rate(bench.time([&] {
    check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyHostToDevice,
                          bench.context().stream),
          "copying");
  }),
              static_cast<double>(bytes));
}

/// @return the points that no time was left for, each behind a semicolon
std::string measure_shape_from_host(Bench& bench, const CatalogueEntry& entry) {
  const int context = bench.sizes.contexts().front();
  const DeviceLlama llama(*entry.shape, *random_decoder_weights(*entry.shape, 1), bench.device,
                          ResidentLayers::least_bytes(*entry.shape));
  const Measured copy =
      copy_rate(bench, static_cast<std::size_t>(LayerBlock(*entry.shape).bytes()));
  bench.rows.add("copy of a layer from pinned memory", entry.name, 0, "GB/s", copy);
  const double ideal_ms =
      static_cast<double>(llama.resident_layers().streamed_bytes) / copy.median / 1e6;
  std::string left_out;
  for (const int rows : bench.sizes.ladder_rows())
    if (bench.has_time())
      bench.rows.add(fmt::format("pass with layers from the host at context {}", context),
                     entry.name, rows, "ms",
                     ChainPass(bench, entry, llama, context, rows).time_few(), ideal_ms);
    else
      left_out += fmt::format("; {} at {} rows", entry.name, rows);
  return left_out;
}

DeviceLlama random_llama(const Bench& bench, const DecoderShape& shape) {
  return {shape, *random_decoder_weights(shape, 1), bench.device};
}

}  // namespace

void measure_passes(Bench& bench, const std::vector<CatalogueEntry>& shapes, const Measured& read) {
  const ProductForm own = bench.context().form;
  for (const CatalogueEntry& entry : shapes) {
    const DeviceLlama llama = random_llama(bench, *entry.shape);
    const ShapePasses passes{bench, entry, llama, read};
    bench.device.choose(own);
    passes.measure_all("");
    const NamedForm best = passes.best_form();
    if (best.form == own) continue;
    bench.device.choose(best.form);
    passes.measure_all(fmt::format(" with the best form: {}", best.name));
  }
  bench.device.choose(own);
}

void measure_kernels(Bench& bench, const std::vector<CatalogueEntry>& shapes) {
  for (const CatalogueEntry& entry : shapes) {
    const DeviceLlama llama = random_llama(bench, *entry.shape);
    for (const int context : bench.sizes.contexts())
      for (const int rows : bench.sizes.ladder_rows()) {
        if (context + kMaxRows > entry.shape->context_length ||
            (rows > 1 && context != bench.sizes.contexts().front()))
          continue;
        const ChainPass pass(bench, entry, llama, context, rows);
        bench.rows.add(fmt::format("kernels at context {}: all", context), entry.name, rows, "ms",
                       pass.time());
        for (const NamedKernel& kernel : kKernels) {
          bench.rows.add(fmt::format("kernels at context {}: without {}", context, kernel.name),
                         entry.name, rows, "ms", pass.time(kernel.kernel));
          bench.rows.add(fmt::format("kernels at context {}: {} alone", context, kernel.name),
                         entry.name, rows, "ms",
                         pass.time(kAllKernels & ~static_cast<std::uint32_t>(kernel.kernel)));
        }
      }
  }
}

void measure_passes_from_host(Bench& bench, const std::vector<CatalogueEntry>& shapes) {
  std::string left_out;
  for (const CatalogueEntry& entry : shapes) {
    if (bench.has_time())
      left_out += measure_shape_from_host(bench, entry);
    else
      left_out += fmt::format("; {} whole", entry.name);
  }
  if (!left_out.empty())
    throw DeviceError(
        fmt::format("no time was left within {} s for passes of{}; the others were "
                    "measured; give --seconds more",
                    *bench.sizes.seconds, left_out.substr(1)));
}

void launch_profiled_kernels(Bench& bench, const std::vector<CatalogueEntry>& shapes) {
  for (const CatalogueEntry& entry : shapes) {
    DecoderShape shape = *entry.shape;
    shape.num_layers = 1;
    const CatalogueEntry one_layer{entry.name, "", shape, ""};
    const DeviceLlama llama = random_llama(bench, shape);
    for (const ProductForm form : kProductForms) {
      bench.device.choose(form);
      ChainPass(bench, one_layer, llama, bench.sizes.contexts().back(), 1).put(head_kernel);
      bench.device.synchronize();
    }
  }
  bench.rows.add("kernels launched for a profiler", "one layer in every form", 1, "passes",
                 {static_cast<double>(shapes.size() * std::size(kProductForms)), 0, 0, 0});
}

}  // namespace speclab::engines::cuda
