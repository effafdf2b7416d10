#pragma once
// Failures of the CUDA runtime as the program's errors. Free of CUDA's headers for those who only call.

namespace speclab::engines::cuda {

/// @param status  a cudaError_t @param what  what was tried
/// @throws DeviceError naming both, if it is not success
void check(int status, const char* what);
/// @throws DeviceError naming the sizes there are
[[noreturn]] void refuse_head_dim(int head_dim);

}  // namespace speclab::engines::cuda
