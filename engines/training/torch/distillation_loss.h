#pragma once
#include <ATen/core/Tensor.h>

#include <string>

namespace speclab::engines {

/// What a drafter's scores cost beside what the target says, summed over rows; the scores become
/// the gradient of that.
/// @param loss  one of kLosses; "tokens" is the cross-entropy to `target`, as "forward_kl" is up to
/// the entropy of it
/// @param target  [rows, draft vocabulary]: the target's law, of mass up to 1, or for "tokens" 1 at
/// the token that came next, if it can be drafted
/// @param scores  [rows, draft vocabulary], float32
double loss_and_gradient(const std::string& loss, const at::Tensor& target, at::Tensor& scores);

}  // namespace speclab::engines
