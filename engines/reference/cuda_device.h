#pragma once
#include <c10/core/Device.h>

#include <string>

namespace speclab::engines {

/// libtorch's CUDA device. Ask before any other question about CUDA: libtorch looks for it once.
/// @param subject  what asked for it, "drafter.device = 'cuda'"
/// @throws DeviceError if libtorch has no CUDA part here, or there is no device
c10::Device torch_cuda_device(const std::string& subject);

}  // namespace speclab::engines
