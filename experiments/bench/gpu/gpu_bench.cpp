// What the CUDA device can do, and how near the engine comes: rows of ceilings, products and passes, written as they are measured.
// Usage: gpu_bench OUTPUT.csv [ceilings] [products] [passes] [--shapes NAME,...]

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "engines/cuda/cuda_errors.h"
#include "engines/cuda/device_llama.h"
#include "engines/cuda/kernels/ceilings.h"
#include "engines/cuda/kv_cache_cuda.h"
#include "engines/models/catalogue.h"
#include "sim/core/errors.h"

namespace speclab::engines::cuda {
namespace {

/// Median, lowest and highest of repeated measurements.
struct Measured {
  double median = 0, low = 0, high = 0;
  int n = 0;
};

Measured summary(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back(), static_cast<int>(values.size())};
}

class Rows {
 public:
  Rows(const std::string& path, std::string device) : file_(std::fopen(path.c_str(), "a")), device_(std::move(device)) {
    if (file_ == nullptr) throw WriteError("cannot write " + path);
    if (std::ftell(file_) == 0) std::fputs("device,what,shape,rows,unit,value,low,high,n,ideal\n", file_);
  }
  ~Rows() { std::fclose(file_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  void add(const std::string& what, const std::string& shape, int rows, const char* unit, const Measured& m, double ideal = 0) {
    const std::string line = fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.6g},{},{:.6g}\n", device_, what, shape, rows, unit, m.median, m.low, m.high, m.n, ideal);
    std::fputs(line.c_str(), file_);
    std::fflush(file_);
    std::fputs(line.c_str(), stdout);
  }

 private:
  std::FILE* file_;
  std::string device_;
};

class Stopwatch {
 public:
  explicit Stopwatch(const Device& device) : device_(device) {
    check(cudaEventCreate(&begin_), "making an event");
    check(cudaEventCreate(&end_), "making an event");
  }
  ~Stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  /// Milliseconds of device time a call, `repeats` times over `calls` of them, after a warm-up.
  Measured milliseconds(int repeats, int calls, const std::function<void()>& call) {
    for (int i = 0; i < 3; ++i) call();
    std::vector<double> times;
    for (int r = 0; r < repeats; ++r) {
      check(cudaEventRecord(begin_, device_.context().stream), "recording an event");
      for (int i = 0; i < calls; ++i) call();
      check(cudaEventRecord(end_, device_.context().stream), "recording an event");
      device_.synchronize();
      float elapsed = 0;
      check(cudaEventElapsedTime(&elapsed, begin_, end_), "reading events");
      times.push_back(static_cast<double>(elapsed) / calls);
    }
    return summary(times);
  }

 private:
  const Device& device_;
  cudaEvent_t begin_{}, end_{};
};

Measured scaled(const Measured& m, double factor) { return {m.median * factor, m.low * factor, m.high * factor, m.n}; }
/// amount / time, in units of 1e-9 amount per second.
Measured rate(const Measured& milliseconds, double amount) {
  return {amount / milliseconds.median / 1e6, amount / milliseconds.high / 1e6, amount / milliseconds.low / 1e6, milliseconds.n};
}

class Bench {
 public:
  explicit Bench(const std::string& output) : rows_(output, device_.name()), stopwatch_(device_) {}

  void ceilings() {
    constexpr std::size_t kBytes = std::size_t{4} << 30;
    const auto memory = zeros_on_device<std::uint8_t>(kBytes);
    const auto target = DeviceArray<std::uint8_t>(kBytes);
    const auto sink = zeros_on_device<std::uint32_t>(4);
    launch_random_weights(reinterpret_cast<std::uint16_t*>(memory.data()), kBytes / 2, 1, context());
    const Measured read = stopwatch_.milliseconds(9, 4, [&] { launch_read(memory.data(), kBytes, sink.data(), context()); });
    rows_.add("read bandwidth", "4 GiB", 0, "GB/s", rate(read, kBytes));
    const Measured copy = stopwatch_.milliseconds(9, 4, [&] { check(cudaMemcpyAsync(target.data(), memory.data(), kBytes, cudaMemcpyDeviceToDevice, context().stream), "copying"); });
    rows_.add("copy bandwidth", "4 GiB read and written", 0, "GB/s", rate(copy, 2.0 * kBytes));
    for (const bool overlapping : {false, true}) {
      constexpr int kKernels = 500;
      const Graph chain(context(), [&] { for (int i = 0; i < kKernels; ++i) launch_nothing(overlapping, context()); });
      rows_.add(overlapping ? "kernel gap in a graph, overlapping starts" : "kernel gap in a graph", "empty kernels", 0, "us",
                scaled(stopwatch_.milliseconds(9, 4, [&] { chain.launch(context()); }), 1e3 / kKernels));
    }
    launch_and_poll();
  }

  /// From the host's launch of a small graph until the host sees what its last kernel wrote.
  void launch_and_poll() {
    const PinnedArray<std::uint32_t> flag(1), source(1);
    const auto value = zeros_on_device<std::uint32_t>(1);
    volatile std::uint32_t* seen = flag.data();
    const Graph graph(context(), [&] {
      check(cudaMemcpyAsync(value.data(), source.data(), 4, cudaMemcpyHostToDevice, context().stream), "copying");
      launch_signal(flag.data(), value.data(), context());
    });
    std::vector<double> times;
    for (std::uint32_t i = 1; i <= 200; ++i) {
      *source.data() = i;
      const auto begin = std::chrono::steady_clock::now();
      graph.launch(context());
      while (*seen != i) {}
      times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    device_.synchronize();
    rows_.add("launch a graph and poll its result", "copy and one kernel", 0, "us", summary(std::vector<double>(times.begin() + 20, times.end())));
  }

  /// Each product of the shapes alone, its weights rotating through more memory than the cache holds.
  void products(const std::vector<CatalogueEntry>& shapes) {
    for (const CatalogueEntry& entry : shapes) {
      const LlamaConfig& c = *entry.shape;
      product(entry.name + " qkv", c.query_size() + 2 * c.kv_size(), c.hidden_size);
      product(entry.name + " attention output", c.hidden_size, c.query_size());
      product(entry.name + " gate and up", 2 * c.intermediate_size, c.hidden_size);
      product(entry.name + " down", c.hidden_size, c.intermediate_size);
      product(entry.name + " head", c.vocab_size, c.hidden_size);
    }
  }

  void passes(const std::vector<CatalogueEntry>& shapes, const Measured& read) {
    for (const CatalogueEntry& entry : shapes) {
      const DeviceLlama llama(*entry.shape, *random_llama_weights(*entry.shape, 1), device_);
      for (const int context_length : {512, 2048}) {
        if (context_length + kMaxRows > entry.shape->context_length) continue;
        for (const int rows : {1, 2, 4, 8, 16, 32, 64}) pass(entry, llama, context_length, rows, read);
      }
    }
  }

  Measured read_bandwidth() {
    constexpr std::size_t kBytes = std::size_t{4} << 30;
    const auto memory = zeros_on_device<std::uint8_t>(kBytes);
    const auto sink = zeros_on_device<std::uint32_t>(4);
    launch_random_weights(reinterpret_cast<std::uint16_t*>(memory.data()), kBytes / 2, 1, context());
    return rate(stopwatch_.milliseconds(9, 4, [&] { launch_read(memory.data(), kBytes, sink.data(), context()); }), kBytes);
  }

 private:
  const LaunchContext& context() const { return device_.context(); }

  void product(const std::string& name, int out, int in) {
    const std::int64_t elements = std::int64_t{(out + 15) / 16 * 16} * in;
    const auto copies = static_cast<std::int64_t>(std::clamp<std::int64_t>(4 * device_.l2_bytes() / (2 * elements), 1, 400)) + 1;
    const DeviceArray<std::uint16_t> weights(static_cast<std::size_t>(copies * elements));
    launch_random_weights(weights.data(), copies * elements, 1, context());
    const DeviceArray<std::uint16_t> input(static_cast<std::size_t>(kMaxRows) * static_cast<std::size_t>(in));
    launch_random_weights(input.data(), static_cast<std::int64_t>(input.size()), 2, context());
    const DeviceArray<float> output(static_cast<std::size_t>(kMaxRows) * static_cast<std::size_t>(out));
    const DeviceArray<BestLogit> best(static_cast<std::size_t>(kMaxRows) * static_cast<std::size_t>(out / 16 + 1));
    for (const int rows : {1, 8, 16, 32, 64}) {
      const std::int32_t count = rows;
      const auto num_rows = on_device<std::int32_t>(std::span(&count, 1));
      const Graph chain(context(), [&] {
        for (std::int64_t i = 0; i < copies; ++i) {
          ProductArguments a{};
          a.weights = weights.data() + i * elements;
          a.input = input.data();
          a.num_rows = num_rows.data();
          a.columns = in;
          a.blocks = static_cast<std::int32_t>(elements / in / 16);
          launch_head(a, output.data(), best.data(), out, rows, context());
        }
      });
      const Measured time = scaled(stopwatch_.milliseconds(7, 4, [&] { chain.launch(context()); }), 1.0 / static_cast<double>(copies));
      rows_.add("product", name, rows, "GB/s", rate(time, 2.0 * static_cast<double>(elements)));
    }
  }

  void pass(const CatalogueEntry& entry, const DeviceLlama& llama, int length, int num_rows, const Measured& read) {
    KvCacheCuda cache(*entry.shape, device_, 1, length + kMaxRows);
    ForwardState state{};
    state.num_rows = state.num_wanting = num_rows;
    state.num_groups = 1;
    state.groups[0] = {0, num_rows, 0, length + num_rows};
    for (int i = 0; i < num_rows; ++i) {
      state.rows[i] = {i + 7, length + i, 0, length + i, length + i + 1, length, 0};
      state.wanting[i] = i;
    }
    const auto on_device_state = on_device<ForwardState>(std::span(&state, 1));
    const int bucket = num_rows <= 8 ? 8 : num_rows;
    const PassShape shape{bucket, bucket, 1, bucket, (length + kMaxRows + kKeysPerSplit - 1) / kKeysPerSplit};
    cache.make_room(shape);
    const Graph graph(context(), [&] { llama.put_pass(on_device_state.data(), cache, shape); });
    const Measured time = stopwatch_.milliseconds(7, 20, [&] { graph.launch(context()); });
    const LlamaConfig& c = *entry.shape;
    const double bytes = static_cast<double>(llama.weight_bytes()) + 4.0 * length * c.num_layers * c.kv_size();
    rows_.add(fmt::format("pass, context {}", length), entry.name, num_rows, "ms", time, bytes / read.median / 1e6);
  }

  Device device_;
  Rows rows_;
  Stopwatch stopwatch_;
};

}  // namespace
}  // namespace speclab::engines::cuda

int main(int argc, char** argv) {
  using namespace speclab::engines;
  if (argc < 3) return std::fputs("usage: gpu_bench OUTPUT.csv [ceilings] [products] [passes] [--shapes NAME,...]\n", stderr), 2;
  try {
    std::string wanted = ",";
    for (int i = 2; i + 1 < argc; ++i)
      if (std::strcmp(argv[i], "--shapes") == 0) wanted = fmt::format(",{},", argv[i + 1]);
    std::vector<CatalogueEntry> shapes;
    for (CatalogueEntry& entry : model_catalogue())
      if (entry.shape && (wanted == "," || wanted.find("," + entry.name + ",") != std::string::npos)) shapes.push_back(entry);
    cuda::Bench bench(argv[1]);
    for (int i = 2; i < argc; ++i) {
      if (std::strcmp(argv[i], "ceilings") == 0) bench.ceilings();
      if (std::strcmp(argv[i], "products") == 0) bench.products(shapes);
      if (std::strcmp(argv[i], "passes") == 0) bench.passes(shapes, bench.read_bandwidth());
    }
  } catch (const speclab::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), static_cast<int>(error.code());
  }
  return 0;
}
