#pragma once
#include <cstddef>
#include <memory>

namespace speclab::engines::cpu {

/// Releases what make_huge_buffer mapped, or a share in a block that several buffers have.
struct HugeBufferDeleter {
  std::size_t bytes = 0;
  std::shared_ptr<void> block{};  ///< null: the buffer is its own
  void operator()(void* p) const;
};
using HugeBuffer = std::unique_ptr<void, HugeBufferDeleter>;

/// Bytes of memory that a buffer of so many bytes takes: whole pages of 2 MiB.
std::size_t huge_buffer_bytes(std::size_t bytes);

/// Memory that a buffer of make_weight_buffer takes.
std::size_t weight_buffer_bytes(std::size_t bytes);

/// Zeroed memory for weights, which are written at once, on a page of 4 KiB. Small buffers share
/// blocks of huge pages: each by itself would waste most of one. @throws std::bad_alloc
HugeBuffer make_weight_buffer(std::size_t bytes);

/// Zeroed memory in huge pages where the system grants them (weights and caches are streamed, so
/// page walks are what it saves), present from the start where the kernel can do that (5.14 on), so
/// that no forward waits for a first touch, with 8 KiB behind the end that prefetches may touch.
/// @throws std::bad_alloc
HugeBuffer make_huge_buffer(std::size_t bytes);

}  // namespace speclab::engines::cpu
