#pragma once
// How gpu_bench measures and what it writes.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/cuda/cuda_errors.h"
#include "engines/cuda/device.h"
#include "sim/system/errors.h"
#include "speclab_revision.h"

namespace speclab::engines::cuda {

/// How much is measured. Tiny sizes rehearse the steps where there is no device.
struct Sizes {
  bool is_tiny = false;
  std::optional<double> seconds{};  ///< after which host_layers begins no point; none: no limit
  std::size_t bytes() const { return is_tiny ? std::size_t{1} << 16 : std::size_t{4} << 30; }
  int repeats() const { return is_tiny ? 2 : 9; }
  int calls() const { return is_tiny ? 1 : 4; }
  int kernels() const { return is_tiny ? 3 : 500; }
  std::vector<int> contexts() const { return is_tiny ? std::vector{130} : std::vector{512, 2048}; }
  std::vector<int> ladder_rows() const {
    return is_tiny ? std::vector{1, 9} : std::vector{1, 8, 16};
  }
  std::vector<int> rows() const {
    return is_tiny ? std::vector{1, 9} : std::vector{1, 2, 4, 8, 16, 32, 64};
  }
};

/// Median, lowest and highest of repeated measurements.
struct Measured {
  double median = 0, low = 0, high = 0;
  int n = 0;
};

inline Measured summary(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back(),
          static_cast<int>(values.size())};
}

/// A CSV file that gets a row at a time; standard output shows them.
class Rows {
 public:
  /// @throws WriteError if the file cannot be opened, or holds something else
  Rows(const std::string& path, std::string device)
      : path_(path), file_(std::fopen(path.c_str(), "a+")), device_(std::move(device)) {
    if (file_ == nullptr) throw WriteError(fmt::format("{}: {}", path, std::strerror(errno)));
    std::string header(kHeader.size(), '\0');
    std::rewind(file_);
    header.resize(std::fread(header.data(), 1, header.size(), file_));
    std::fseek(file_, 0, SEEK_END);
    if (header.empty())
      write(std::string(kHeader));
    else if (header != kHeader)
      throw WriteError(path + ": holds something else than gpu_bench's rows; name another file");
  }
  ~Rows() { std::fclose(file_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  /// @param what, shape  without commas @throws WriteError if the row cannot be written whole
  void add(const std::string& what, const std::string& shape, int rows, const char* unit,
           const Measured& m, double ideal = 0) {
    SPECLAB_EXPECT((what + shape).find(',') == std::string::npos,
                   "a comma in a row's name: " + what);
    const std::string line =
        fmt::format("{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{},{:.6g}\n", SPECLAB_REVISION, device_,
                    what, shape, rows, unit, m.median, m.low, m.high, m.n, ideal);
    write(line);
    std::fputs(line.c_str(), stdout);
  }

 private:
  static constexpr std::string_view kHeader =
      "revision,device,what,shape,rows,unit,value,low,high,n,ideal\n";

  void write(const std::string& text) {
    if (std::fputs(text.c_str(), file_) < 0 || std::fflush(file_) != 0)
      throw WriteError(fmt::format("{}: {}", path_, std::strerror(errno)));
  }

  std::string path_;
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
  Measured milliseconds(int repeats, int calls, const std::function<void()>& call,
                        int warm_ups = 3) {
    for (int i = 0; i < warm_ups; ++i) call();
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

/// The device, the clock and the table of rows that every step of gpu_bench uses.
struct Bench {
  Bench(const std::string& output, const Sizes& given)
      : sizes(given), rows(output, device.name()), stopwatch(device) {}

  const LaunchContext& context() const { return device.context(); }
  Measured time(const std::function<void()>& call) {
    return stopwatch.milliseconds(sizes.repeats(), sizes.calls(), call);
  }
  /// As `time`, but a call of more than 50 ms is repeated once alone, behind one warm-up.
  Measured time_few(const std::function<void()>& call) {
    constexpr double kLongMs = 50;
    const Measured once = stopwatch.milliseconds(1, 1, call, 1);
    return once.median > kLongMs ? once : time(call);
  }
  bool has_time() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return !sizes.seconds || passed.count() < *sizes.seconds;
  }

  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

  Sizes sizes;
  Device device;
  Rows rows;
  Stopwatch stopwatch;
};

inline Measured scaled(const Measured& m, double factor) {
  return {m.median * factor, m.low * factor, m.high * factor, m.n};
}
/// amount / time, in units of 1e-9 amount per second.
inline Measured rate(const Measured& milliseconds, double amount) {
  return {amount / milliseconds.median / 1e6, amount / milliseconds.high / 1e6,
          amount / milliseconds.low / 1e6, milliseconds.n};
}

}  // namespace speclab::engines::cuda
