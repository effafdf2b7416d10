# Sources of the CUDA engine; the tests compile them a second time, against an emulated device.
set(speclab_cuda_sources
  cuda_errors.cpp
  device.cpp
  device_llama.cpp
  device_memory.cpp
  device_round_decoder.cpp
  device_rounds.cpp
  kv_cache_cuda.cpp
  layer_block.cpp
  layer_stream.cpp
  llama_cuda.cpp
  pinned_draft.cpp)
set(speclab_cuda_kernels
  kernels/attention.cu
  kernels/ceilings.cu
  kernels/draw_trials.cu
  kernels/ends.cu
  kernels/feature_drafts.cu
  kernels/host_drafts.cu
  kernels/layer_products.cu
  kernels/rounds.cu
  kernels/tree_rounds.cu
  kernels/tree_verification.cu)
# Variants of the product that only measurements and tests launch, for compute capability 9.0 alone.
set(speclab_cuda_ladder kernels/ladder.cu)
