// Every loss and its gradient against autograd.

#include "engines/training/torch/hidden_state_trainer.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softmax.h>
#include <gtest/gtest.h>

#include "engines/interface/training.h"

namespace speclab::engines {
namespace {

/// Laws whose mass over the draft vocabulary is below 1, as where the target likes what cannot be
/// drafted.
at::Tensor some_laws() {
  return at::softmax(at::randn({5, 12}, at::kDouble) * 2, 1) * at::rand({5, 1}, at::kDouble);
}

at::Tensor written_loss(const std::string& loss, const at::Tensor& law, const at::Tensor& scores) {
  const at::Tensor q = at::softmax(scores, 1), log_q = at::log_softmax(scores, 1);
  if (loss == "reverse_kl") return (q * (log_q - law.log())).sum();
  if (loss == "total_variation") return (1 - at::minimum(q, law).sum(1)).sum();
  return -(law * log_q).sum();
}

class DistillationLoss : public ::testing::TestWithParam<const char*> {};

TEST_P(DistillationLoss, HasItsGradient) {
  at::manual_seed(2);
  const at::Tensor law = some_laws();
  at::Tensor scores = at::randn({5, 12}, at::kDouble).set_requires_grad(true),
             found = scores.detach().clone();
  const at::Tensor expected = written_loss(GetParam(), law, scores);
  expected.backward();
  EXPECT_NEAR(loss_and_gradient(GetParam(), law, found), expected.item<double>(), 1e-9);
  EXPECT_LT((found - scores.grad()).abs().max().item<double>(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Losses, DistillationLoss, ::testing::ValuesIn(kLosses));

TEST(DistillationLosses, AreLeastAtTheTargetsLaw) {
  at::manual_seed(4);
  const at::Tensor law = at::softmax(at::randn({3, 12}), 1);
  for (const char* loss : kLosses) {
    at::Tensor same = law.log(), other = law.log() + at::randn({3, 12});
    const double least = loss_and_gradient(loss, law, same);
    EXPECT_LT(least, loss_and_gradient(loss, law, other)) << loss;
    if (std::string(loss) == "total_variation") continue;  // has a corner there
    EXPECT_LT(same.abs().max().item<double>(), 1e-5) << loss;
  }
}

}  // namespace
}  // namespace speclab::engines
