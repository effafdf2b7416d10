#pragma once
// What the device can do at best: the denominators of every share that is published.

#include <cstddef>
#include <cstdint>

#include "engines/cuda/kernels/product_arguments.h"

namespace speclab::engines::cuda {

/// Reads `bytes`, a multiple of 16, once; a value that never occurs would be written to `sink`.
void launch_read(const void* memory, std::size_t bytes, std::uint32_t* sink,
                 const LaunchContext& context);
/// A kernel of one thread block a multiprocessor that does nothing but wait for the one before.
/// @param overlapping  as ours start
void launch_nothing(bool overlapping, const LaunchContext& context);
/// Writes `value` where the host can see it.
void launch_signal(volatile std::uint32_t* host_memory, const std::uint32_t* value,
                   const LaunchContext& context);

}  // namespace speclab::engines::cuda
