#pragma once
// The part of CUDA's runtime that engines/cuda uses, on the processor: kernels run thread block by
// thread block, their threads as fibers in an order drawn at random, so that what relies on an
// order shows. Device memory is host memory, filled with NaN. Kernels run one after the other, or
// in the adversarial order (stream_order.h). `__shared__` variables are static: in that order a
// block finds after its wait for the kernel in front what another block has left there. Memory of
// the launch is each block's own.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __shared__ static

// NOLINTBEGIN: the names are CUDA's
struct alignas(16) uint4 {
  std::uint32_t x, y, z, w;
};
struct alignas(8) uint2 {
  std::uint32_t x, y;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3() = default;
  explicit dim3(unsigned a, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
inline uint4 make_uint4(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
  return {x, y, z, w};
}
inline uint2 make_uint2(std::uint32_t x, std::uint32_t y) { return {x, y}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidValue = 1,
  cudaErrorNotReady = 600,
  cudaErrorStreamCaptureUnjoined = 904
};
struct CUstream_st;
struct CUgraph_st;
struct CUgraphExec_st;
using cudaStream_t = CUstream_st*;
using cudaGraph_t = CUgraph_st*;
using cudaGraphExec_t = CUgraphExec_st*;
enum {
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaStreamNonBlocking,
  cudaEventDisableTiming,
  cudaStreamCaptureModeThreadLocal,
  cudaHostAllocDefault,
  cudaDevAttrComputeCapabilityMajor,
  cudaLaunchAttributeProgrammaticStreamSerialization,
  cudaFuncAttributeMaxDynamicSharedMemorySize
};

struct cudaDeviceProp {
  char name[64];
  int multiProcessorCount, l2CacheSize, major, pciDomainID, pciBusID, pciDeviceID;
};
struct cudaLaunchAttribute {
  int id;
  struct {
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaDeviceGetAttribute(int* value, int attribute, int device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaFree(void* memory);
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemcpy(void* target, const void* source, std::size_t bytes, int kind);
cudaError_t cudaMemset(void* target, int value, std::size_t bytes);
cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, int kind,
                            cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
struct CUevent_st;
using cudaEvent_t = CUevent_st*;
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, int, int) {
  return cudaSuccess;
}
// NOLINTEND

namespace speclab::cuda_emulation {

/// A kernel, or something else that stands in a stream, as a copy.
struct Work {
  std::function<void()> run;  ///< one thread of a kernel; all of anything else
  bool is_kernel = false;
  bool overlaps = false;  ///< a kernel that starts before the one in front has ended
  dim3 grid{}, block{};
  std::size_t shared_bytes = 0;
  // The stream fills these in.
  std::uint64_t number = 0, in_front = 0;  ///< of itself and of the work before it in its stream
  std::uint64_t stream = 0;
  std::vector<std::uint64_t> awaited{};  ///< numbers of work in other streams
};

/// Runs now, or is kept by a capture; in the adversarial order it runs when the host waits.
void enqueue(cudaStream_t stream, Work work);
/// Whether an address is within what cudaMalloc or cudaHostAlloc gave.
bool is_device_memory(const void* address);

}  // namespace speclab::cuda_emulation

// Of the thread that runs now.
inline uint3 threadIdx{}, blockIdx{};
inline dim3 blockDim, gridDim;

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  const std::tuple<std::decay_t<Parameters>...> kept(std::forward<Arguments>(arguments)...);
  const dim3 grid_size = config->gridDim, block_size = config->blockDim;
  const std::size_t shared = config->dynamicSmemBytes;
  if (shared > 227 * 1024 || grid_size.x == 0 || grid_size.y == 0 || grid_size.z == 0 ||
      block_size.x > 1024)
    return cudaErrorInvalidValue;
  const bool overlaps = config->numAttrs > 0 &&
                        config->attrs[0].id == cudaLaunchAttributeProgrammaticStreamSerialization &&
                        config->attrs[0].val.programmaticStreamSerializationAllowed != 0;
  speclab::cuda_emulation::enqueue(config->stream, {[=] { std::apply(kernel, kept); }, true,
                                                    overlaps, grid_size, block_size, shared});
  return cudaSuccess;
}
