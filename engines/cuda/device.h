#pragma once
// The device, its stream, and sequences of kernels that are captured once and replayed.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "engines/cuda/kernels/product_arguments.h"

struct CUgraphExec_st;

namespace speclab::engines::cuda {

/// Whether a driver and a device of compute capability 8.0 or higher are there.
bool device_is_there();

/// The first device with a stream of its own, and what a measurement must name.
class Device {
 public:
  /// @throws DeviceError if there is none
  Device();
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const LaunchContext& context() const { return context_; }
  /// Products launched or captured from now on take this form.
  void choose(ProductForm form) { context_.form = form; }
  const std::string& name() const { return name_; }
  std::int64_t l2_bytes() const { return l2_bytes_; }
  const std::string& pci_bus_id() const { return pci_bus_id_; }  ///< as "00000000:17:00.0"
  std::int64_t free_bytes() const;                               ///< of its memory, now
  /// Waits for everything put into the stream. @throws DeviceError if some of it failed
  void synchronize() const;
  /// Whether something that was put into the stream still runs. @throws DeviceError if it has
  /// failed
  bool is_busy() const;

 private:
  LaunchContext context_{};
  std::string name_, pci_bus_id_;
  std::int64_t l2_bytes_ = 0;
};

/// What was put into a stream, to be run again with one call.
class Graph {
 public:
  Graph() = default;
  /// @param work  puts kernels and copies into the context's stream; it must not wait or allocate
  Graph(const LaunchContext& context, const std::function<void()>& work);
  Graph(Graph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(executable_, other.executable_);
    return *this;
  }
  ~Graph();
  void launch(const LaunchContext& context) const;

 private:
  CUgraphExec_st* executable_ = nullptr;
};

}  // namespace speclab::engines::cuda
