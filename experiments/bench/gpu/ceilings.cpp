#include "experiments/bench/gpu/gpu_bench.h"

#include <cuda_runtime_api.h>

#include <chrono>

#include "engines/cuda/device_memory.h"
#include "engines/cuda/kernels.h"
#include "engines/cuda/kernels/ceilings.h"

namespace speclab::engines::cuda {
namespace {

std::string size_name(const Bench& bench) {
  return fmt::format("{} MiB", static_cast<double>(bench.sizes.bytes()) / (1 << 20));
}

DeviceArray<std::uint8_t> random_bytes(const Bench& bench) {
  DeviceArray<std::uint8_t> memory(bench.sizes.bytes());
  launch_random_weights(reinterpret_cast<std::uint16_t*>(memory.data()),
                        static_cast<std::int64_t>(bench.sizes.bytes() / 2), 1, bench.context());
  return memory;
}

/// Bytes read and bytes written.
Measured copy_bandwidth(Bench& bench) {
  const auto memory = random_bytes(bench);
  const DeviceArray<std::uint8_t> target(bench.sizes.bytes());
  const std::size_t bytes = bench.sizes.bytes();
  return rate(bench.time([&] {
    check(cudaMemcpyAsync(target.data(), memory.data(), bytes, cudaMemcpyDeviceToDevice,
                          bench.context().stream),
          "copying");
  }),
              2.0 * static_cast<double>(bytes));
}

void kernel_gap(Bench& bench, bool overlapping) {
  const int kernels = bench.sizes.kernels();
  const Graph chain(bench.context(), [&] {
    for (int i = 0; i < kernels; ++i) launch_nothing(overlapping, bench.context());
  });
  bench.rows.add(
      overlapping ? "kernel gap in a graph with overlapping starts" : "kernel gap in a graph",
      "empty kernels", 0, "us",
      scaled(bench.time([&] { chain.launch(bench.context()); }), 1e3 / kernels));
}

}  // namespace

Measured read_bandwidth(Bench& bench) {
  const auto memory = random_bytes(bench);
  const auto sink = zeros_on_device<std::uint32_t>(4);
  return rate(bench.time([&] {
    launch_read(memory.data(), bench.sizes.bytes(), sink.data(), bench.context());
  }),
              static_cast<double>(bench.sizes.bytes()));
}

void measure_launch_and_poll(Bench& bench) {
  constexpr std::uint32_t kLaunches = 200, kWarmUp = 20;
  const PinnedArray<std::uint32_t> flag(1), source(1);
  const auto value = zeros_on_device<std::uint32_t>(1);
  volatile std::uint32_t* seen = flag.data();
  *seen = 0;
  const Graph graph(bench.context(), [&] {
    check(cudaMemcpyAsync(value.data(), source.data(), 4, cudaMemcpyHostToDevice,
                          bench.context().stream),
          "copying");
    launch_signal(flag.data(), value.data(), bench.context());
  });
  std::vector<double> times;
  for (std::uint32_t i = 1; i <= kLaunches; ++i) {
    *source.data() = i;
    const auto begin = std::chrono::steady_clock::now();
    graph.launch(bench.context());
    for (std::uint64_t polls = 1; *seen != i; ++polls)
      if (polls % (1u << 24) == 0 && !bench.device.is_busy() && *seen != i)
        throw DeviceError("CUDA: a graph ended without its result");
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  bench.device.synchronize();
  bench.rows.add("launch a graph and poll its result", "copy and one kernel", 0, "us",
                 summary(std::vector<double>(times.begin() + kWarmUp, times.end())));
}

void measure_ceilings(Bench& bench) {
  bench.rows.add("read bandwidth", size_name(bench), 0, "GB/s", read_bandwidth(bench));
  bench.rows.add("copy bandwidth", size_name(bench), 0, "GB/s", copy_bandwidth(bench));
  kernel_gap(bench, false);
  kernel_gap(bench, true);
  measure_launch_and_poll(bench);
}

}  // namespace speclab::engines::cuda
