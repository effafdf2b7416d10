# Sources of gpu_bench; the tests compile them a second time, against an emulated device.
set(speclab_gpu_bench_sources ceilings.cpp cublaslt.cpp gpu_bench.cpp pass_bench.cpp predicted_times.cpp product_bench.cpp)
list(TRANSFORM speclab_gpu_bench_sources PREPEND ${CMAKE_SOURCE_DIR}/experiments/bench/gpu/)
