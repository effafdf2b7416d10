// Memory, streams and graphs of the emulated device.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <map>
#include <vector>

#include "cuda_runtime_api.h"
#include "tests/support/cuda_emulation/stream_order.h"

struct CUgraph_st {
  std::vector<speclab::cuda_emulation::Work> work;
  std::vector<cudaStream_t> joined;  ///< streams that a wait has brought into the capture
};
struct CUgraphExec_st : CUgraph_st {};
struct CUstream_st {
  std::uint64_t number;
  CUgraph_st* capturing = nullptr;
  std::uint64_t last = 0;                ///< number of the work put last; 0: none
  std::vector<std::uint64_t> awaited{};  ///< by what is put next
  std::uint64_t last_outside = 0;        ///< while it captures: number of the work put last before

  void begin_capture(CUgraph_st* graph) {
    capturing = graph;
    last_outside = std::exchange(last, 0);
  }
  /// @return number of the work captured last
  std::uint64_t end_capture() {
    capturing = nullptr;
    return std::exchange(last, last_outside);
  }
};

struct CUevent_st {
  bool is_timed = true;
  std::chrono::steady_clock::time_point time{};
  std::uint64_t last = 0;  ///< number of the work it was recorded behind
  CUgraph_st* capturing = nullptr;
};

namespace speclab::cuda_emulation {

namespace {

bool is_adversarial = false;
std::vector<Work> pending;  ///< of all streams, in the adversarial order

struct Allocation {
  std::size_t bytes;
  bool holds_state;  ///< the host has written into it, or may
};

std::map<std::uintptr_t, Allocation>& allocations() {
  static std::map<std::uintptr_t, Allocation> by_address;
  return by_address;
}

/// The allocation that an address is within; the end where there is none.
auto allocation_of(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto behind = allocations().upper_bound(at);
  if (behind == allocations().begin()) return allocations().end();
  const auto found = std::prev(behind);
  return at - found->first < found->second.bytes ? found : allocations().end();
}

void keep_as_state(const void* address) {
  const auto found = allocation_of(address);
  if (found != allocations().end()) found->second.holds_state = true;
}

void poison_what_holds_no_state() {
  for (const auto& [address, allocation] : allocations())
    if (!allocation.holds_state)
      std::memset(reinterpret_cast<void*>(address), 0xff, allocation.bytes);
}

/// The host waits.
void run_pending() {
  if (!pending.empty()) run_adversarially(std::exchange(pending, {}));
}

}  // namespace

AdversarialOrder::AdversarialOrder() { is_adversarial = true; }
AdversarialOrder::~AdversarialOrder() {
  is_adversarial = false;
  pending.clear();
}

void enqueue(cudaStream_t stream, Work work) {
  static std::uint64_t numbers = 0;
  work.in_front = std::exchange(stream->last, ++numbers);
  work.number = stream->last;
  work.stream = stream->number;
  work.awaited = std::exchange(stream->awaited, {});
  if (stream->capturing != nullptr)
    stream->capturing->work.push_back(std::move(work));
  else if (is_adversarial)
    pending.push_back(std::move(work));
  else
    run_in_turn({&work, 1});
}

/// Works without one in front follow what stands in the stream. The host looks for a graph's result
/// without waiting for the stream.
void launch_graph(const CUgraph_st& graph, cudaStream_t stream) {
  if (!is_adversarial) return run_in_turn(graph.work);
  if (pending.empty()) poison_what_holds_no_state();
  for (const Work& work : graph.work) {
    pending.push_back(work);
    if (work.in_front == 0) pending.back().in_front = stream->last;
  }
  run_pending();
}

bool is_device_memory(const void* address) { return allocation_of(address) != allocations().end(); }

}  // namespace speclab::cuda_emulation

using speclab::cuda_emulation::allocations, speclab::cuda_emulation::keep_as_state,
    speclab::cuda_emulation::run_pending;

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "an error of the emulated device";
}
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

/// The emulated device has 16 GiB, of which host memory takes its part too.
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{1} << 34;
  for (const auto& [address, allocation] : allocations())
    *free -= std::min(*free, allocation.bytes);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*memory == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*memory, 0xff, bytes);
  allocations()[reinterpret_cast<std::uintptr_t>(*memory)] = {bytes, false};
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  run_pending();
  allocations().erase(reinterpret_cast<std::uintptr_t>(memory));
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  const cudaError_t status = cudaMalloc(memory, bytes);
  if (status == cudaSuccess) keep_as_state(*memory);
  return status;
}
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }

cudaError_t cudaMemcpy(void* target, const void* source, std::size_t bytes, int) {
  run_pending();
  keep_as_state(target);
  std::memcpy(target, source, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemset(void* target, int value, std::size_t bytes) {
  run_pending();
  keep_as_state(target);
  std::memset(target, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, int,
                            cudaStream_t stream) {
  keep_as_state(target);
  speclab::cuda_emulation::enqueue(stream, {[=] { std::memcpy(target, source, bytes); }});
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  static std::uint64_t streams = 0;
  *stream = new CUstream_st{.number = streams++};
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  run_pending();
  return stream == nullptr || stream->capturing == nullptr ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaStreamQuery(cudaStream_t) {
  run_pending();
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int) {
  stream->begin_capture(new CUgraph_st);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = stream->capturing;
  stream->end_capture();
  std::vector<std::uint64_t> awaited = stream->awaited;
  for (const auto& work : (*graph)->work)
    awaited.insert(awaited.end(), work.awaited.begin(), work.awaited.end());
  cudaError_t status = cudaSuccess;
  for (cudaStream_t other : (*graph)->joined) {
    if (std::ranges::find(awaited, other->end_capture()) == awaited.end())
      status = cudaErrorStreamCaptureUnjoined;
  }
  return status;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  *executable = new CUgraphExec_st{*graph};
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  speclab::cuda_emulation::launch_graph(*executable, stream);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = new CUevent_st{.is_timed = (flags & cudaEventDisableTiming) == 0};
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->last = stream->last;
  event->capturing = stream->capturing;
  if (!event->is_timed) return cudaSuccess;
  run_pending();
  event->time = std::chrono::steady_clock::now();
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  stream->awaited.push_back(event->last);
  if (event->capturing == nullptr || stream->capturing == event->capturing) return cudaSuccess;
  if (stream->capturing != nullptr) return cudaErrorInvalidValue;
  stream->begin_capture(event->capturing);
  stream->capturing->joined.push_back(stream);
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return cudaSuccess;
}
