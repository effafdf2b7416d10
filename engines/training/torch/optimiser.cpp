#include "engines/training/torch/optimiser.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros_like.h>
#include <torch/optim/adamw.h>
#include <torch/serialize.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engines/training/torch/training_device.h"

namespace speclab::engines {
namespace {

constexpr double kMomentum = 0.95;

bool is_stepped_by_muon(const Parameters::Parameter& parameter, const TrainingSchedule& schedule) {
  return schedule.optimiser == "muon" && parameter.use == Parameters::Use::product;
}

std::unique_ptr<torch::optim::AdamW> make_adamw(const Parameters& parameters,
                                                const TrainingSchedule& schedule) {
  std::vector<at::Tensor> decaying, constant;
  for (const auto& parameter : parameters.all())
    if (!is_stepped_by_muon(parameter, schedule))
      (parameter.use == Parameters::Use::norm ? constant : decaying).push_back(parameter.value);
  auto settings = torch::optim::AdamWOptions(schedule.learning_rate);
  settings.betas({0.9, 0.98}).weight_decay(schedule.weight_decay);
  auto adamw = std::make_unique<torch::optim::AdamW>(std::move(decaying), settings);
  adamw->add_param_group(torch::optim::OptimizerParamGroup(
      std::move(constant),
      std::make_unique<torch::optim::AdamWOptions>(settings.weight_decay(0.0))));
  return adamw;
}

std::string momentum_name(std::size_t matrix) { return "momentum_" + std::to_string(matrix); }

}  // namespace

at::Tensor orthogonalised(const at::Tensor& of, at::ScalarType dtype) {
  const bool is_tall = of.size(0) > of.size(1);
  at::Tensor x = (is_tall ? of.t() : of).div(of.norm() + 1e-7).to(dtype);
  for (int i = 0; i < 5; ++i) {
    const at::Tensor square = at::matmul(x, x.t());
    x = x * 3.4445 + at::matmul(square * -4.7750 + at::matmul(square, square) * 2.0315, x);
  }
  return (is_tall ? x.t() : x).to(at::kFloat);
}

Optimiser::Optimiser(Parameters& parameters, const TrainingSchedule& schedule)
    : weight_decay_(schedule.weight_decay),
      dtype_(product_dtype(schedule)),
      adamw_(make_adamw(parameters, schedule)) {
  for (const auto& parameter : parameters.all())
    if (is_stepped_by_muon(parameter, schedule))
      matrices_.push_back({parameter.value, at::zeros_like(parameter.value)});
}

Optimiser::~Optimiser() = default;

void Optimiser::zero_grad() {
  adamw_->zero_grad();
  for (Matrix& matrix : matrices_) matrix.value.mutable_grad() = at::Tensor();
}

void Optimiser::step(double learning_rate) {
  for (auto& group : adamw_->param_groups())
    static_cast<torch::optim::AdamWOptions&>(group.options()).lr(learning_rate);
  adamw_->step();
  for (Matrix& matrix : matrices_) step_matrix(matrix, learning_rate);
}

void Optimiser::step_matrix(Matrix& matrix, double learning_rate) const {
  const at::NoGradGuard guard;
  const at::Tensor& gradient = matrix.value.grad();
  if (!gradient.defined()) return;
  matrix.momentum.lerp_(gradient, 1 - kMomentum);
  const double size = static_cast<double>(std::max(matrix.value.size(0), matrix.value.size(1)));
  matrix.value.mul_(1 - learning_rate * weight_decay_);
  matrix.value.add_(orthogonalised(gradient.lerp(matrix.momentum, kMomentum), dtype_),
                    -learning_rate * 0.2 * std::sqrt(size));
}

void Optimiser::save(torch::serialize::OutputArchive& archive) const {
  adamw_->save(archive);
  for (std::size_t i = 0; i < matrices_.size(); ++i)
    archive.write(momentum_name(i), matrices_[i].momentum, true);
}

void Optimiser::load(torch::serialize::InputArchive& archive) {
  adamw_->load(archive);
  const at::NoGradGuard guard;
  for (std::size_t i = 0; i < matrices_.size(); ++i)
    archive.read(momentum_name(i), matrices_[i].momentum, true);
}

}  // namespace speclab::engines
