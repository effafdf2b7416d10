#pragma once
#include <memory>
#include <vector>

#include "engines/interface/training.h"
#include "engines/training/torch/torch_layers.h"

namespace torch::optim {
class AdamW;
}
namespace torch::serialize {
class InputArchive;
class OutputArchive;
}  // namespace torch::serialize

namespace speclab::engines {

/// AdamW for all parameters, or Muon for the matrices between states and AdamW for tables and
/// norms: Muon's step is the momentum with all its singular values brought near 1, scaled to the
/// size of AdamW's steps, so that both take the same learning rates.
/// @source Jordan et al. 2024, Muon: the five Newton-Schulz steps and their coefficients; Liu et
/// al. 2025 (arXiv 2502.16982), section 2.2: weight decay and the factor 0.2 sqrt(max(out, in))
class Optimiser {
 public:
  /// @param parameters  outlive the object
  Optimiser(Parameters& parameters, const TrainingSchedule& schedule);
  ~Optimiser();

  void zero_grad();
  /// One step along the gradients. @param learning_rate  of this step
  void step(double learning_rate);

  void save(torch::serialize::OutputArchive& archive) const;
  /// @param archive  of an optimiser of the same parameters and schedule
  void load(torch::serialize::InputArchive& archive);

 private:
  struct Matrix {
    at::Tensor value, momentum;
  };
  void step_matrix(Matrix& matrix, double learning_rate) const;

  double weight_decay_;
  at::ScalarType dtype_;          ///< of the products of the Newton-Schulz steps
  std::vector<Matrix> matrices_;  ///< those that Muon steps
  std::unique_ptr<torch::optim::AdamW> adamw_;
};

/// The matrix with `of`'s singular vectors and singular values near 1. @param of  [out, in] @param
/// dtype  of the products
at::Tensor orthogonalised(const at::Tensor& of, at::ScalarType dtype);

}  // namespace speclab::engines
