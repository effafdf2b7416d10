// What the CUDA device can do, and how near the engine comes: rows of ceilings, products and passes, written as they are measured.
// Usage: gpu_bench OUTPUT.csv [ceilings] [products] [cuts] [passes] [predictions] [--shapes NAME,...] [--tiny]
// predictions needs no device: what passes and rounds should take by the time model of predicted_times.h.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "engines/cuda/device_llama.h"
#include "engines/cuda/kernels/ceilings.h"
#include "engines/cuda/kernels/cut_trials.h"
#include "engines/cuda/kv_cache_cuda.h"
#include "engines/models/catalogue.h"
#include "experiments/bench/gpu/measuring.h"
#include "experiments/bench/gpu/predicted_times.h"
#include "sim/core/errors.h"

namespace speclab::engines::cuda {
namespace {

class Bench {
 public:
  Bench(const std::string& output, const Sizes& sizes) : sizes_(sizes), rows_(output, device_.name()), stopwatch_(device_) {}

  void ceilings() {
    rows_.add("read bandwidth", size_name(), 0, "GB/s", read_bandwidth());
    rows_.add("copy bandwidth", size_name(), 0, "GB/s", copy_bandwidth());
    for (const bool overlapping : {false, true}) {
      const Graph chain(context(), [&] { for (int i = 0; i < sizes_.kernels(); ++i) launch_nothing(overlapping, context()); });
      rows_.add(overlapping ? "kernel gap in a graph with overlapping starts" : "kernel gap in a graph", "empty kernels", 0, "us",
                scaled(time([&] { chain.launch(context()); }), 1e3 / sizes_.kernels()));
    }
    launch_and_poll();
  }

  /// From the host's launch of a small graph until the host sees what its last kernel wrote.
  void launch_and_poll() {
    constexpr std::uint32_t kLaunches = 200, kWarmUp = 20;
    const PinnedArray<std::uint32_t> flag(1), source(1);
    const auto value = zeros_on_device<std::uint32_t>(1);
    volatile std::uint32_t* seen = flag.data();
    *seen = 0;
    const Graph graph(context(), [&] {
      check(cudaMemcpyAsync(value.data(), source.data(), 4, cudaMemcpyHostToDevice, context().stream), "copying");
      launch_signal(flag.data(), value.data(), context());
    });
    std::vector<double> times;
    for (std::uint32_t i = 1; i <= kLaunches; ++i) {
      *source.data() = i;
      const auto begin = std::chrono::steady_clock::now();
      graph.launch(context());
      for (std::uint64_t polls = 1; *seen != i; ++polls)
        if (polls % (1u << 24) == 0 && !device_.is_busy() && *seen != i) throw DeviceError("CUDA: a graph ended without its result");
      times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    device_.synchronize();
    rows_.add("launch a graph and poll its result", "copy and one kernel", 0, "us", summary(std::vector<double>(times.begin() + kWarmUp, times.end())));
  }

  /// Each product of the shapes alone, its weights rotating through more memory than the cache holds.
  void products(const std::vector<CatalogueEntry>& shapes) {
    for_each_product(shapes, [this](const std::string& name, int out, int in) {
      const ProductMemory memory(*this, out, in);
      const DeviceArray<BestLogit> best(static_cast<std::size_t>(kMaxRows) * static_cast<std::size_t>(out / kTileRows + 1));
      for (const int rows : sizes_.rows())
        rows_.add("product", name, rows, "GB/s",
                  memory.rate_of(rows, [&](const ProductArguments& a) { launch_head(a, memory.output.data(), best.data(), out, rows, context()); }));
    });
  }

  /// The same, cut in other ways than the engine's.
  void cuts(const std::vector<CatalogueEntry>& shapes) {
    for_each_product(shapes, [this](const std::string& name, int out, int in) {
      const ProductMemory memory(*this, out, in);
      for (const CutTrial& cut : cut_trials()) {
        const auto launch = [&](const ProductArguments& a) { cut.launch(a, memory.output.data(), context()); };
        rows_.add(fmt::format("product cut {}x{} in {}{}", cut.blocks, cut.stages, cut.resident, cut.order == TileOrder::by_block ? "" : " by columns"), name, cut.most_rows, "GB/s", memory.rate_of(cut.most_rows, launch));
      }
    });
  }

  void passes(const std::vector<CatalogueEntry>& shapes, const Measured& read) {
    for (const CatalogueEntry& entry : shapes) {
      const DeviceLlama llama(*entry.shape, *random_llama_weights(*entry.shape, 1), device_);
      for (const int context_length : sizes_.contexts()) {
        if (context_length + kMaxRows > entry.shape->context_length) continue;
        for (const int rows : sizes_.rows()) pass(entry, llama, context_length, rows, read);
      }
    }
  }

  Measured read_bandwidth() {
    const auto memory = random_bytes();
    const auto sink = zeros_on_device<std::uint32_t>(4);
    return rate(time([&] { launch_read(memory.data(), sizes_.bytes(), sink.data(), context()); }), static_cast<double>(sizes_.bytes()));
  }

 private:
  const LaunchContext& context() const { return device_.context(); }
  Measured time(const std::function<void()>& call) { return stopwatch_.milliseconds(sizes_.repeats(), sizes_.calls(), call); }
  std::string size_name() const { return fmt::format("{} MiB", static_cast<double>(sizes_.bytes()) / (1 << 20)); }

  DeviceArray<std::uint8_t> random_bytes() const {
    DeviceArray<std::uint8_t> memory(sizes_.bytes());
    launch_random_weights(reinterpret_cast<std::uint16_t*>(memory.data()), static_cast<std::int64_t>(sizes_.bytes() / 2), 1, context());
    return memory;
  }

  /// Bytes read and bytes written.
  Measured copy_bandwidth() {
    const auto memory = random_bytes();
    const DeviceArray<std::uint8_t> target(sizes_.bytes());
    return rate(time([&] { check(cudaMemcpyAsync(target.data(), memory.data(), sizes_.bytes(), cudaMemcpyDeviceToDevice, context().stream), "copying"); }),
                2.0 * static_cast<double>(sizes_.bytes()));
  }

  static void for_each_product(const std::vector<CatalogueEntry>& shapes, const std::function<void(const std::string&, int, int)>& visit) {
    for (const CatalogueEntry& entry : shapes) {
      const LlamaConfig& c = *entry.shape;
      visit(entry.name + " qkv", c.query_size() + 2 * c.kv_size(), c.hidden_size);
      visit(entry.name + " attention output", c.hidden_size, c.query_size());
      visit(entry.name + " gate and up", 2 * c.intermediate_size, c.hidden_size);
      visit(entry.name + " down", c.hidden_size, c.intermediate_size);
      visit(entry.name + " head", c.vocab_size, c.hidden_size);
    }
  }

  /// Weights of one product again and again, and what it reads and writes.
  struct ProductMemory {
    Bench& bench;
    std::int64_t columns, elements, copies;
    DeviceArray<std::uint16_t> weights, input;
    DeviceArray<float> output;

    ProductMemory(Bench& owner, int out, int in)
        : bench(owner), columns(in), elements(std::int64_t{(out + kTileRows - 1) / kTileRows * kTileRows} * in),
          copies(std::clamp<std::int64_t>(4 * owner.device_.l2_bytes() / (2 * elements), 1, owner.sizes_.is_tiny ? 2 : 400) + 1),
          weights(static_cast<std::size_t>(copies * elements)), input(static_cast<std::size_t>(kMaxRows * columns)),
          output(static_cast<std::size_t>(kMaxRows * elements / columns)) {
      launch_random_weights(weights.data(), copies * elements, 1, bench.context());
      launch_random_weights(input.data(), kMaxRows * columns, 2, bench.context());
    }

    /// Of weights read, one product after the other in a graph.
    Measured rate_of(std::int32_t rows, const std::function<void(const ProductArguments&)>& launch) const {
      const auto num_rows = on_device<std::int32_t>(std::span(&rows, 1));
      ProductArguments a{};
      a.input = input.data();
      a.num_rows = num_rows.data();
      a.columns = static_cast<std::int32_t>(columns);
      a.blocks = static_cast<std::int32_t>(elements / columns / kTileRows);
      const Graph chain(bench.context(), [&] {
        for (std::int64_t i = 0; i < copies; ++i) {
          a.weights = weights.data() + i * elements;
          launch(a);
        }
      });
      return rate(scaled(bench.time([&] { chain.launch(bench.context()); }), 1.0 / static_cast<double>(copies)), 2.0 * static_cast<double>(elements));
    }
  };

  void pass(const CatalogueEntry& entry, const DeviceLlama& llama, int length, int num_rows, const Measured& read) {
    KvCacheCuda cache(*entry.shape, device_, 1, length + kMaxRows);
    ForwardState state{};
    state.num_rows = state.num_wanting = num_rows;
    state.num_groups = 1;
    state.groups[0] = {0, num_rows, 0, length + num_rows, length};
    for (int i = 0; i < num_rows; ++i) {
      state.rows[i] = {i + 7, length + i, 0, length + i, length + i + 1, length, 0};
      state.wanting[i] = i;
    }
    const auto on_device_state = on_device<ForwardState>(std::span(&state, 1));
    const int bucket = std::max(8, num_rows);
    const PassShape shape{bucket, bucket, 1, bucket, (length + kMaxRows + kKeysPerSplit - 1) / kKeysPerSplit};
    cache.make_room(shape);
    const Graph graph(context(), [&] { llama.put_pass(on_device_state.data(), cache, shape); });
    const Measured each = time([&] { graph.launch(context()); });
    const LlamaConfig& c = *entry.shape;
    const double bytes = static_cast<double>(llama.weight_bytes()) + 4.0 * length * c.num_layers * c.kv_size();
    rows_.add(fmt::format("pass at context {}", length), entry.name, num_rows, "ms", each, bytes / read.median / 1e6);
  }

  Sizes sizes_;
  Device device_;
  Rows rows_;
  Stopwatch stopwatch_;
};

/// The smallest model that has everything: grouped queries, an odd vocabulary.
CatalogueEntry tiny_shape() {
  LlamaConfig config;
  config.name = "tiny";
  config.vocab_size = 131;
  config.context_length = 256;
  config.num_layers = 2;
  config.hidden_size = 64;
  config.intermediate_size = 96;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 32;
  return {"tiny", "", config, ""};
}

/// Shapes of the catalogue that a comma-separated list names, all where it is empty.
std::vector<CatalogueEntry> chosen_shapes(const std::string& names, const Sizes& sizes) {
  if (sizes.is_tiny) return {tiny_shape()};
  std::vector<CatalogueEntry> shapes;
  for (CatalogueEntry& entry : model_catalogue())
    if (entry.shape && (names.empty() || ("," + names + ",").find("," + entry.name + ",") != std::string::npos)) shapes.push_back(entry);
  const auto wanted = names.empty() ? shapes.size() : static_cast<std::size_t>(std::ranges::count(names, ',')) + 1;
  if (shapes.size() != wanted) throw ConfigError("--shapes '" + escaped(names) + "'; allowed: names of speclab models that begin with shape-, each once, parted by commas");
  return shapes;
}

void run(const std::vector<std::string>& arguments) {
  Sizes sizes;
  std::string names;
  std::vector<std::string> steps;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--tiny") sizes.is_tiny = true;
    else if (arguments[i] == "--shapes" && i + 1 < arguments.size()) names = arguments[++i];
    else if (arguments[i] == "ceilings" || arguments[i] == "products" || arguments[i] == "cuts" || arguments[i] == "passes" || arguments[i] == "predictions") steps.push_back(arguments[i]);
    else throw ConfigError("'" + arguments[i] + "'; allowed: ceilings, products, cuts, passes, predictions, --shapes NAME,..., --tiny");
  }
  if (steps.empty()) throw ConfigError("no step; allowed: ceilings, products, cuts, passes, predictions");
  const std::vector<CatalogueEntry> shapes = chosen_shapes(names, sizes);
  if (std::erase(steps, "predictions") > 0) predict(arguments[0], shapes, sizes);
  if (steps.empty()) return;
  Bench bench(arguments[0], sizes);
  for (const std::string& step : steps) {
    if (step == "ceilings") bench.ceilings();
    if (step == "products") bench.products(shapes);
    if (step == "cuts") bench.cuts(shapes);
    if (step == "passes") bench.passes(shapes, bench.read_bandwidth());
  }
}

}  // namespace
}  // namespace speclab::engines::cuda

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: gpu_bench OUTPUT.csv [ceilings] [products] [cuts] [passes] [predictions] [--shapes NAME,...] [--tiny]\n", stderr), 2;
  try {
    std::signal(SIGXFSZ, SIG_IGN);  // a full disk is an error with a name
    speclab::engines::cuda::run({argv + 1, argv + argc});
  } catch (const speclab::Error& error) {
    return std::fprintf(stderr, "gpu_bench: %s\n", error.what()), static_cast<int>(error.code());
  }
  return 0;
}
