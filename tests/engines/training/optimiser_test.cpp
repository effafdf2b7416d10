// One step of each optimiser against what its definition says.

#include "engines/training/torch/optimiser.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/diag.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linalg_svd.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

namespace speclab::engines {
namespace {

double root_mean_square(const at::Tensor& x) { return x.pow(2).mean().sqrt().item<double>(); }

/// A matrix and a norm with gradients.
Parameters some_parameters(std::int64_t out, std::int64_t in) {
  at::manual_seed(7);
  Parameters parameters;
  parameters.add_matrix("matrix", out, in);
  parameters.add_norm("norm", in);
  for (auto& parameter : parameters.all())
    parameter.value.mutable_grad() = at::randn(parameter.value.sizes());
  return parameters;
}

TEST(Muon, BringsSingularValuesNearOneAndKeepsTheirVectors) {
  at::manual_seed(3);
  for (const auto& [out, in] : {std::pair{24, 40}, std::pair{40, 24}, std::pair{32, 32}}) {
    const at::Tensor gradient = at::randn({out, in});
    const auto [u, values, vt] = at::linalg_svd(gradient, false);
    const at::Tensor seen =
        at::matmul(at::matmul(u.t(), orthogonalised(gradient, at::kFloat)), vt.t());
    EXPECT_LT((seen - at::diag(seen.diagonal())).abs().max().item<double>(), 1e-4)
        << out << " x " << in;
    EXPECT_LT(seen.diagonal().max().item<double>(), 1.25);
    EXPECT_GT(seen.diagonal()[0].item<double>(), 0.65) << "the largest";
    EXPECT_GT(seen.diagonal().median().item<double>(), 0.65);
  }
}

TEST(Muon, StepsMatricesAsFarAsAdamWAndNormsLikeIt) {
  constexpr double kRate = 1e-2;
  Parameters muon = some_parameters(48, 32), adamw = some_parameters(48, 32);
  const std::vector<at::Tensor> before{muon["matrix"].detach().clone(),
                                       muon["norm"].detach().clone()};
  Optimiser(muon, {.optimiser = "muon", .weight_decay = 0}).step(kRate);
  Optimiser(adamw, {.optimiser = "adamw", .weight_decay = 0}).step(kRate);
  EXPECT_NEAR(root_mean_square(muon["matrix"] - before[0]), 0.2 * kRate, 0.06 * kRate);
  EXPECT_TRUE(at::equal(muon["norm"], adamw["norm"]));
  EXPECT_FALSE(at::equal(muon["norm"], before[1]));
}

TEST(Muon, StepsAgainstTheGradientAndDecaysWeights) {
  Parameters stepped = some_parameters(16, 16), decayed = some_parameters(16, 16);
  const at::Tensor before = stepped["matrix"].detach().clone(),
                   gradient = stepped["matrix"].grad().clone();
  Optimiser(stepped, {.optimiser = "muon", .weight_decay = 0}).step(1e-2);
  EXPECT_LT((gradient * (stepped["matrix"] - before)).sum().item<double>(), 0);
  Optimiser(decayed, {.optimiser = "muon", .weight_decay = 0.5}).step(1e-2);
  EXPECT_TRUE(at::allclose(decayed["matrix"], stepped["matrix"] - 0.5 * 1e-2 * before, 1e-5, 1e-6));
}

TEST(Muon, StandsStillWithoutGradients) {
  Parameters parameters = some_parameters(16, 16);
  const at::Tensor before = parameters["matrix"].detach().clone();
  Optimiser optimiser(parameters, {.optimiser = "muon", .weight_decay = 0});
  optimiser.zero_grad();
  optimiser.step(1e-2);
  EXPECT_TRUE(at::equal(parameters["matrix"], before));
}

}  // namespace
}  // namespace speclab::engines
