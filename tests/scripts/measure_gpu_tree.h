#pragma once
// A small tree of its own with scripts/measure_gpu in it, so that no test touches the real one.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "sim/system/files.h"
#include "tests/support/shell.h"

namespace speclab::testing {

/// Committed kernels, results and scripts; a cache with a model of the real size and a wheel; a
/// fake nvidia-smi.
class MeasureGpuTree : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(scratch_);
    make("tree/engines/cuda/kernels/a.cu", "__global__ void add(int* x) { *x += 1'000; }\n");
    make("tree/results/models/smollm2-drafter/v1/config.json", "{}\n");
    make("tree/results/models/smollm2-feature/v1/config.json", "{}\n");
    make("tree/results/models/smollm2-5gram/v1/ngram.bin", "grams\n");
    make("tree/experiments/configs/train_smollm2_feature_gpu.toml",
         "[text]\nfiles = [\n  \"../../build/corpora/prose/a.txt\",\n]\n");
    make("tree/results/reference/table.csv", "a\n");
    make("tree/.gitignore", "/build/\n");
    make("bin/nvidia-smi", "#!/bin/sh\necho 'Some Device'\n");
    make("cache/wheels/gguf-0-py3-none-any.whl", "a wheel\n");
    ASSERT_EQ(
        shell("chmod +x ../bin/nvidia-smi && cp -r " SPECLAB_SOURCE_DIR
              "/scripts . && mkdir -p ../cache/models ../out && truncate -s 98362432 "
              "../cache/models/" +
              model_name() +
              " && git init -q . && git add . && git -c user.name=n -c user.email=e commit -q -m m")
            .code,
        0);
  }
  void TearDown() override { std::filesystem::remove_all(scratch_); }

  static std::string model_name() { return "smollm2-135m-instruct-q4_1.gguf"; }
  /// The folder of a part in a pack.
  static std::string part(int number) {
    return "smollm2-135m-instruct-q4_1_" + std::to_string(number);
  }
  std::string path(const std::string& name) const { return scratch_ + "/" + name; }
  bool is_there(const std::string& name) const { return std::filesystem::exists(path(name)); }
  std::string text(const std::string& name) const { return read_file(path(name)); }

  void make(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    write_file(path(name), content);
  }

  /// A command line in the tree, with the scratch folder's cache and device.
  Outcome shell(const std::string& command) const {
    return run_shell(
        "exec 2>&1; export SPECLAB_CACHE=" + path("cache") + " PATH=" + path("bin") +
        ":$PATH; unset OUT SPECLAB_BUILD SPECLAB_PLANTED_HANG SPECLAB_STEP_LIMIT; cd " +
        path("tree") + " && " + command);
  }
  Outcome measure_gpu(const std::string& arguments, const std::string& settings = "") const {
    return shell(settings + " scripts/measure_gpu " + arguments);
  }

  /// Programs that any machine has, in the place of the built ones.
  void build_programs() const {
    ASSERT_EQ(shell("mkdir -p build/release && for program in gpu_bench kernels_cuda_test speclab "
                    "libspeclab_engines.so llama_cuda_test training_device_test "
                    "family_device_test; do cp /bin/true "
                    "build/release/$program; done")
                  .code,
              0);
  }

  std::string scratch_ = ::testing::TempDir() + "measure_gpu_test";
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace speclab::testing
