#pragma once
// NVIDIA's library of products, opened where it is found: the rival that the ladder's variants are
// measured beside. Nothing links it.

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "engines/cuda/kernels/product_arguments.h"

namespace speclab::engines::cuda {

struct CublasLtFunctions;

class CublasLt {
 public:
  /// Nothing where the library is missing or finds no device.
  static std::optional<CublasLt> open();
  const CublasLtFunctions& functions() const { return *functions_; }

 private:
  explicit CublasLt(std::shared_ptr<const CublasLtFunctions> functions)
      : functions_(std::move(functions)) {}
  std::shared_ptr<const CublasLtFunctions> functions_;
};

/// output[rows, out] float32 = input[rows, in] times weights[out, in] transposed, both bfloat16 in
/// the order of rows.
class RivalProduct {
 public:
  RivalProduct(const CublasLt& library, int out, int in, int rows);
  ~RivalProduct();
  RivalProduct(const RivalProduct&) = delete;
  RivalProduct& operator=(const RivalProduct&) = delete;

  /// At most 16, the library's own choice first.
  int num_algorithms() const;
  /// @throws DeviceError if the library refuses
  void launch(int algorithm, const void* weights, const void* input, float* output,
              const LaunchContext& context) const;

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace speclab::engines::cuda
