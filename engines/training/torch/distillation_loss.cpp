#include "engines/training/torch/distillation_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/softmax.h>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// The gradient is softmax times the target's mass, less the target.
double cross_entropy(const at::Tensor& target, at::Tensor& scores) {
  const auto largest = std::get<0>(scores.max(1, true));
  scores.sub_(largest);
  const auto matched = (target * scores).sum(1, true);
  scores.exp_();
  const auto total = scores.sum(1, true), mass = target.sum(1, true);
  scores.mul_(mass / total).sub_(target);
  return (mass * total.log() - matched).sum().item<double>();
}

/// A loss of q = softmax(scores) whose derivatives by q are `slopes`: the gradient is q (slopes -
/// their mean under q).
void turn_into_gradient(const at::Tensor& q, const at::Tensor& slopes, at::Tensor& scores) {
  scores.copy_(q * (slopes - (q * slopes).sum(1, true)));
}

double reverse_kl(const at::Tensor& target, at::Tensor& scores) {
  constexpr double kLeast =
      1e-8;  // what the target gives less counts as this, so that zeros of rounding stay finite
  const auto log_q = at::log_softmax(scores, 1), q = log_q.exp();
  const auto slopes = log_q - target.clamp_min(kLeast).log();
  const double loss = (q * slopes).sum().item<double>();
  turn_into_gradient(q, slopes, scores);
  return loss;
}

double total_variation(const at::Tensor& target, at::Tensor& scores) {
  const auto q = at::softmax(scores, 1);
  const double loss = static_cast<double>(q.size(0)) - at::minimum(q, target).sum().item<double>();
  turn_into_gradient(q, -(q < target).to(q.scalar_type()), scores);
  return loss;
}

}  // namespace

double loss_and_gradient(const std::string& loss, const at::Tensor& target, at::Tensor& scores) {
  if (loss == "reverse_kl") return reverse_kl(target, scores);
  if (loss == "total_variation") return total_variation(target, scores);
  SPECLAB_EXPECT(loss == "tokens" || loss == "forward_kl", "a loss: " + loss);
  return cross_entropy(target, scores);
}

}  // namespace speclab::engines
