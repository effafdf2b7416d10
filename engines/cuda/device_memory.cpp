#include "engines/cuda/device_memory.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <string>

#include "engines/cuda/cuda_errors.h"

namespace speclab::engines::cuda {

void* allocate_device(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes > 0)
    check(cudaMalloc(&memory, bytes),
          fmt::format("allocating {} bytes on the device", bytes).c_str());
  return memory;
}

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes > 0)
    check(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault),
          fmt::format("allocating {} bytes of pinned memory", bytes).c_str());
  return memory;
}

void free_device(void* memory) noexcept { cudaFree(memory); }
void free_pinned(void* memory) noexcept { cudaFreeHost(memory); }

void copy_to_device(void* target, const void* source, std::size_t bytes) {
  check(cudaMemcpy(target, source, bytes, cudaMemcpyHostToDevice), "copying to the device");
  check(cudaStreamSynchronize(nullptr), "copying to the device");
}

void copy_to_host(void* target, const void* source, std::size_t bytes) {
  check(cudaMemcpy(target, source, bytes, cudaMemcpyDeviceToHost), "copying to the host");
}

void fill_zero(void* target, std::size_t bytes) {
  check(cudaMemset(target, 0, bytes), "clearing device memory");
  check(cudaStreamSynchronize(nullptr), "clearing device memory");
}

}  // namespace speclab::engines::cuda
