#include "experiments/bench/gpu/cublaslt.h"

#include <dlfcn.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engines/cuda/device_memory.h"
#include "sim/system/errors.h"

namespace speclab::engines::cuda {
namespace {

// The library's binary interface, as cublasLt.h of CUDA 13 declares it.
constexpr int kSuccess = 0, kCompute32F = 68, kReal32F = 0, kReal16BF = 14, kTransposed = 1;
constexpr int kDescTransA = 3, kPreferenceMaxWorkspace = 1;
constexpr int kMostAlgorithms = 16;
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
struct Algorithm {
  std::uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

void require(int status, const char* what) {
  if (status != kSuccess)
    throw DeviceError("cuBLASLt: " + std::string(what) + " ended with status " +
                      std::to_string(status));
}

}  // namespace

struct CublasLtFunctions {
  void* handle = nullptr;
  int (*create)(void**);
  int (*destroy)(void*);
  int (*make_operation)(void**, int compute, int scale);
  int (*free_operation)(void*);
  int (*set_operation)(void*, int attribute, const void*, std::size_t);
  int (*make_layout)(void**, int type, std::uint64_t rows, std::uint64_t columns,
                     std::int64_t leading);
  int (*free_layout)(void*);
  int (*make_preference)(void**);
  int (*free_preference)(void*);
  int (*set_preference)(void*, int attribute, const void*, std::size_t);
  int (*heuristics)(void*, void*, void*, void*, void*, void*, void*, int, Heuristic*, int*);
  int (*multiply)(void*, void*, const void* alpha, const void* a, void*, const void* b, void*,
                  const void* beta, const void* c, void*, void* d, void*, const Algorithm*,
                  void* workspace, std::size_t, CUstream_st*);

  bool load(void* library) {
    return find(library, "cublasLtCreate", create) && find(library, "cublasLtDestroy", destroy) &&
           find(library, "cublasLtMatmulDescCreate", make_operation) &&
           find(library, "cublasLtMatmulDescDestroy", free_operation) &&
           find(library, "cublasLtMatmulDescSetAttribute", set_operation) &&
           find(library, "cublasLtMatrixLayoutCreate", make_layout) &&
           find(library, "cublasLtMatrixLayoutDestroy", free_layout) &&
           find(library, "cublasLtMatmulPreferenceCreate", make_preference) &&
           find(library, "cublasLtMatmulPreferenceDestroy", free_preference) &&
           find(library, "cublasLtMatmulPreferenceSetAttribute", set_preference) &&
           find(library, "cublasLtMatmulAlgoGetHeuristic", heuristics) &&
           find(library, "cublasLtMatmul", multiply);
  }
};

std::optional<CublasLt> CublasLt::open() {
  void* library = dlopen("libcublasLt.so.13", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  auto functions = std::make_shared<CublasLtFunctions>();
  if (!functions->load(library) || functions->create(&functions->handle) != kSuccess)
    return std::nullopt;
  return CublasLt(std::shared_ptr<const CublasLtFunctions>(
      functions.get(),
      [functions](const CublasLtFunctions*) { functions->destroy(functions->handle); }));
}

struct RivalProduct::Plan {
  const CublasLtFunctions& lt;
  void *operation = nullptr, *weights = nullptr, *input = nullptr, *output = nullptr,
       *preference = nullptr;
  std::vector<Heuristic> found = std::vector<Heuristic>(kMostAlgorithms);
  DeviceArray<std::uint8_t> workspace = DeviceArray<std::uint8_t>(kWorkspaceBytes);

  explicit Plan(const CublasLtFunctions& functions) : lt(functions) {}
  ~Plan() {
    for (void* layout : {weights, input, output})
      if (layout != nullptr) lt.free_layout(layout);
    if (operation != nullptr) lt.free_operation(operation);
    if (preference != nullptr) lt.free_preference(preference);
  }
};

RivalProduct::RivalProduct(const CublasLt& library, int out, int in, int rows)
    : plan_(std::make_unique<Plan>(library.functions())) {
  Plan& p = *plan_;
  require(p.lt.make_operation(&p.operation, kCompute32F, kReal32F), "describing a product");
  require(p.lt.set_operation(p.operation, kDescTransA, &kTransposed, sizeof kTransposed),
          "describing a product");
  const auto m = static_cast<std::uint64_t>(out), k = static_cast<std::uint64_t>(in),
             n = static_cast<std::uint64_t>(rows);
  require(p.lt.make_layout(&p.weights, kReal16BF, k, m, in), "describing weights");
  require(p.lt.make_layout(&p.input, kReal16BF, k, n, in), "describing an input");
  require(p.lt.make_layout(&p.output, kReal32F, m, n, out), "describing an output");
  require(p.lt.make_preference(&p.preference), "making a preference");
  require(p.lt.set_preference(p.preference, kPreferenceMaxWorkspace, &kWorkspaceBytes,
                              sizeof kWorkspaceBytes),
          "limiting the workspace");
  int count = 0;
  require(p.lt.heuristics(p.lt.handle, p.operation, p.weights, p.input, p.output, p.output,
                          p.preference, kMostAlgorithms, p.found.data(), &count),
          "finding algorithms");
  p.found.resize(static_cast<std::size_t>(count));
}

RivalProduct::~RivalProduct() = default;

int RivalProduct::num_algorithms() const { return static_cast<int>(plan_->found.size()); }

void RivalProduct::launch(int algorithm, const void* weights, const void* input, float* output,
                          const LaunchContext& context) const {
  const Plan& p = *plan_;
  const float one = 1, zero = 0;
  require(p.lt.multiply(p.lt.handle, p.operation, &one, weights, p.weights, input, p.input, &zero,
                        output, p.output, output, p.output,
                        &p.found[static_cast<std::size_t>(algorithm)].algorithm, p.workspace.data(),
                        kWorkspaceBytes, context.stream),
          "a product");
}

}  // namespace speclab::engines::cuda
