#pragma once
// How a model is loaded.

#include <cstdint>
#include <string>

namespace speclab::engines {

struct ModelOptions {
  std::string model;   ///< catalogue name, GGUF file or checkpoint folder
  std::string name{};  ///< that tables and reports show; empty: the catalogue's name, or the
                       ///< last part of the path
  std::string device = "auto";        ///< "auto", "cpu", "cuda"
  std::string dtype = "auto";         ///< "auto", "file", "q8", "float32", "bfloat16"
  std::string activations = "exact";  ///< at low-bit weights: "exact", "int8", "bfloat16"
  std::string cache_dtype = "auto";   ///< of keys and values: "auto", "float32", "bfloat16"
  std::string weights = "resident";   ///< "resident"; "streamed": layers that do not fit into
                                      ///< resident_bytes are read at every forward
  std::int64_t resident_bytes = 0;    ///< of memory for streamed weights
  std::string kernels = "auto";  ///< "auto"; "reference": plain ATen operations, the slow truth
  std::string rounds = "host";   ///< "host"; "device": the whole round on the CUDA device, for the
                                 ///< combinations that it supports
  std::int32_t threads = 0;      ///< 0: all cores
};

}  // namespace speclab::engines
