#pragma once
// Failures of the CUDA runtime as the program's errors. Free of CUDA's headers for those who only
// call.

namespace speclab::engines::cuda {

/// @param status  a cudaError_t @param what  what was tried
/// @throws DeviceError naming both, if it is not success
void check(int status, const char* what);

}  // namespace speclab::engines::cuda
