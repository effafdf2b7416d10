# Sources of the CUDA engine; the tests compile them a second time, against an emulated device.
set(speclab_cuda_sources
  cuda_errors.cpp
  device.cpp
  device_llama.cpp
  device_memory.cpp
  device_round_decoder.cpp
  device_rounds.cpp
  kv_cache_cuda.cpp
  llama_cuda.cpp
  packed_weights.cpp)
set(speclab_cuda_kernels
  kernels/attention.cu
  kernels/ceilings.cu
  kernels/cut_trials.cu
  kernels/ends.cu
  kernels/layer_products.cu
  kernels/rounds.cu)
