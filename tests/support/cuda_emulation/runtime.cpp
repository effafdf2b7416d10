// Memory, streams and graphs of the emulated device.

#include <chrono>
#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "cuda_runtime_api.h"
#include "tests/support/cuda_emulation/fibers.h"

struct CUgraph_st {
  std::vector<std::function<void()>> work;
};
struct CUgraphExec_st : CUgraph_st {};
struct CUstream_st {
  CUgraph_st* capturing = nullptr;
};

struct CUevent_st {
  std::chrono::steady_clock::time_point time;
};

namespace speclab::cuda_emulation {

void enqueue(cudaStream_t stream, std::function<void()> work) {
  if (stream->capturing != nullptr) stream->capturing->work.push_back(std::move(work));
  else work();
}

void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& thread) {
  static std::mt19937 random(1);
  static std::map<unsigned, Block> blocks;  // by their number of threads, which are costly to make
  Block& threads = blocks.try_emplace(block.x, block, random).first->second;
  threads.resize_shared(shared_bytes);
  std::vector<unsigned> order(grid.x * grid.y * grid.z);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), random);
  try {
    for (const unsigned i : order) threads.run({i % grid.x, i / grid.x % grid.y, i / grid.x / grid.y}, grid, thread);
  } catch (...) {
    blocks.erase(block.x);  // its threads still wait
    throw;
  }
}

}  // namespace speclab::cuda_emulation

const char* cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "an error of the emulated device"; }
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorEmulated"; }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, int, int) {
  *value = 9;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int) { return cudaSuccess; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::snprintf(properties->name, sizeof properties->name, "emulated device");
  properties->multiProcessorCount = 3;  // few, so that thread blocks work on several blocks of rows
  properties->l2CacheSize = 1 << 16;
  properties->major = 9;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*memory == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*memory, 0xff, bytes);
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) { return cudaMalloc(memory, bytes); }
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }

cudaError_t cudaMemcpy(void* target, const void* source, std::size_t bytes, int) {
  std::memcpy(target, source, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemset(void* target, int value, std::size_t bytes) {
  std::memset(target, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, int, cudaStream_t stream) {
  speclab::cuda_emulation::enqueue(stream, [=] { std::memcpy(target, source, bytes); });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new CUstream_st;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return stream == nullptr || stream->capturing == nullptr ? cudaSuccess : cudaErrorInvalidValue; }

cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int) {
  stream->capturing = new CUgraph_st;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = std::exchange(stream->capturing, nullptr);
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = new CUgraphExec_st{*graph};
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  for (const auto& work : executable->work) work();
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->time = std::chrono::steady_clock::now();
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return cudaSuccess;
}
