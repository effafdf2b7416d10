#include "engines/cuda/device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "engines/cuda/cuda_errors.h"
#include "sim/system/errors.h"

namespace speclab::engines::cuda {

bool device_is_there() {
  int count = 0, major = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return false;
  return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess &&
         major >= 8;
}

Device::Device() {
  if (!device_is_there())
    throw DeviceError(
        "device 'cuda': no CUDA device of compute capability 8.0 or higher, or no driver, is here; "
        "use --device cpu");
  check(cudaSetDevice(0), "choosing the device");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "reading the device's properties");
  name_ = properties.name;
  pci_bus_id_ = fmt::format("{:08x}:{:02x}:{:02x}.0", properties.pciDomainID, properties.pciBusID,
                            properties.pciDeviceID);
  l2_bytes_ = properties.l2CacheSize;
  context_.num_multiprocessors = properties.multiProcessorCount;
  context_.has_overlapping_starts = properties.major >= 9;
  check(cudaStreamCreateWithFlags(&context_.stream, cudaStreamNonBlocking), "making a stream");
}

Device::~Device() { cudaStreamDestroy(context_.stream); }

std::int64_t Device::free_bytes() const {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for the device's free memory");
  return static_cast<std::int64_t>(free);
}

void Device::synchronize() const {
  check(cudaStreamSynchronize(context_.stream), "running kernels");
}

bool Device::is_busy() const {
  const cudaError_t status = cudaStreamQuery(context_.stream);
  if (status == cudaErrorNotReady) return true;
  check(status, "running kernels");
  return false;
}

Graph::Graph(const LaunchContext& context, const std::function<void()>& work) {
  check(cudaStreamBeginCapture(context.stream, cudaStreamCaptureModeThreadLocal),
        "beginning a capture");
  cudaGraph_t graph = nullptr;
  try {
    work();
  } catch (...) {
    cudaStreamEndCapture(context.stream, &graph);
    cudaGraphDestroy(graph);
    throw;
  }
  check(cudaStreamEndCapture(context.stream, &graph), "ending a capture");
  const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "instantiating a graph");
  // At once, so that the first launch is as fast as the others.
  if (const cudaError_t uploaded = cudaGraphUpload(executable_, context.stream);
      uploaded != cudaSuccess) {
    cudaGraphExecDestroy(executable_);
    check(uploaded, "uploading a graph");
  }
}

Graph::~Graph() {
  if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
}

void Graph::launch(const LaunchContext& context) const {
  check(cudaGraphLaunch(executable_, context.stream), "launching a graph");
}

}  // namespace speclab::engines::cuda
