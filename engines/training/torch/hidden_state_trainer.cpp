#include "engines/training/torch/hidden_state_trainer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/torch_layers.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

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

/// Rows [first, first + count) of a batch that have drafted `step` tokens before, [count].
at::Tensor reached(const FeatureBatch& batch, std::int64_t first, std::int64_t count, int step) {
  return batch.row_numbers.narrow(0, first, count) >= step;
}

std::string digest_of_vocabulary(const std::string& folder) {
  return folder.empty() ? "" : " " + sha256_file(config_file(folder));
}

}  // namespace

double loss_and_gradient(const std::string& loss, const at::Tensor& target, at::Tensor& scores) {
  if (loss == "reverse_kl") return reverse_kl(target, scores);
  if (loss == "total_variation") return total_variation(target, scores);
  SPECLAB_EXPECT(loss == "tokens" || loss == "forward_kl", "a loss: " + loss);
  return cross_entropy(target, scores);
}

std::vector<at::Tensor> HiddenStateTask::states_of(const FeatureBatch& batch) const {
  std::vector<at::Tensor> states;
  for (const at::Tensor& of_step : unrolled(batch.input))
    states.push_back(of_step.reshape({-1, of_step.size(-1)}).index_select(0, batch.rows));
  return states;
}

double HiddenStateTask::backward(Texts texts) {
  const FeatureBatch batch = on_device(batch_of(texts), device_);
  const std::vector<at::Tensor> states = states_of(batch);
  std::vector<Step> steps;
  for (std::size_t s = 0; s < states.size(); ++s) {
    const bool is_shared =
        s > 0 && head(static_cast<int>(s)).is_same(head(static_cast<int>(s) - 1));
    steps.push_back({is_shared ? steps.back().head : rounded_head(static_cast<int>(s)).detach(),
                     states[s].detach(), at::empty_like(states[s])});
  }
  double loss = 0;
  const std::int64_t total = batch.rows.size(0);
  for (std::int64_t first = 0; first < total; first += kChunk) {
    const std::int64_t count = std::min(kChunk, total - first);
    loss += add_gradients(batch, {first, count, target_.wanted(batch, first, count)}, steps);
  }
  std::vector<at::Tensor> gradients;
  for (const Step& step : steps) gradients.push_back(step.states_gradient);
  torch::autograd::backward(states, gradients);
  return loss;
}

/// @return the first step's part of the mean loss; no number where a further step's is none
double HiddenStateTask::add_gradients(const FeatureBatch& batch, const Rows& rows,
                                      std::vector<Step>& steps) {
  const at::NoGradGuard guard;
  double first_loss = 0, weight = 1.0 / static_cast<double>(batch.rows.size(0));
  for (std::size_t s = 0; s < steps.size(); ++s, weight *= objective_.step_weight) {
    const double loss = add_gradient(batch, rows, static_cast<int>(s), steps[s], weight);
    if (s == 0 || !std::isfinite(loss)) first_loss = loss;
  }
  return first_loss;
}

double HiddenStateTask::add_gradient(const FeatureBatch& batch, const Rows& rows, int number,
                                     Step& step, double weight) {
  const auto mask =
      reached(batch, rows.first, rows.count, number).to(at::kFloat).unsqueeze(1) * weight;
  const auto states = step.states.narrow(0, rows.first, rows.count);
  auto scores = product(states, step.head.t(), dtype_);
  const double loss = weight * loss_and_gradient(objective_.loss, rows.wanted, scores);
  scores.mul_(mask);
  add_head_gradient(number, scores, states);
  auto gradient = product(scores, step.head, dtype_);
  if (objective_.feature_weight > 0) {
    const auto next = batch.next_hidden.narrow(0, rows.first, rows.count);
    gradient.add_((states - next) *
                  (mask * 2 * objective_.feature_weight / next.pow(2).sum(1, true)));
  }
  step.states_gradient.narrow(0, rows.first, rows.count).copy_(gradient);
  return loss;
}

std::vector<Validation> HiddenStateTask::validate(Texts texts) const {
  const at::NoGradGuard guard;
  constexpr std::size_t kTexts = 4;
  std::vector<Validation> sums(static_cast<std::size_t>(objective_.num_steps));
  for (std::size_t i = 0; i < texts.size(); i += kTexts) {
    const FeatureBatch batch =
        on_device(batch_of(texts.subspan(i, std::min(kTexts, texts.size() - i))), device_);
    const std::vector<at::Tensor> states = states_of(batch);
    for (std::int64_t first = 0; first < batch.rows.size(0); first += kChunk)
      for (std::size_t s = 0; s < states.size(); ++s)
        validate_rows(batch, first, static_cast<int>(s), states[s], sums[s]);
  }
  for (Validation& sum : sums) sum = sum.mean();
  return sums;
}

void HiddenStateTask::validate_rows(const FeatureBatch& batch, std::int64_t first, int step,
                                    const at::Tensor& states, Validation& sum) const {
  const std::int64_t count = std::min(kChunk, states.size(0) - first);
  const at::Tensor is_reached = reached(batch, first, count, step),
                   mask = is_reached.to(at::kFloat);
  auto scores = at::matmul(states.narrow(0, first, count), head(step).t());
  const at::Tensor law = target_.law(batch, first, count) * mask.unsqueeze(1);
  sum.positions += is_reached.sum().item<double>();
  sum.acceptance_rate += at::minimum(at::softmax(scores, 1), law).sum().item<double>();
  sum.greedy_agreement +=
      (target_.agreement(batch, first, scores) & is_reached).sum().item<double>();
  sum.loss += loss_and_gradient("forward_kl", law, scores);
}

std::string distillation_digest(const DistillationOptions& options) {
  return fmt::format("{} {} {}{}", options.draft_vocabulary, options.loss,
                     digest_of_start(options.start_from),
                     digest_of_vocabulary(options.vocabulary_from));
}

void train_hidden_state_drafter(const HiddenStateTraining& training, const TrainOptions& options,
                                const TrainCallbacks& callbacks,
                                const std::function<void(const std::string& path)>& write_config) {
  const std::string& start = options.distillation.start_from;
  if (!start.empty()) read_parameters(start, training.task.parameters());
  make_folder(options.output);
  const TrainingOutcome outcome = run_training(training.texts, training.task,
                                               {options.schedule,
                                                checkpoint_file(options.output),
                                                options.provenance,
                                                {training.digest, options.config}},
                                               callbacks);
  nlohmann::ordered_json manifest =
      transformer_manifest(training.task, training.texts, options, training.target, outcome);
  manifest["objective"] = training.objective;
  if (const std::string& from = options.distillation.vocabulary_from; !from.empty())
    manifest["vocabulary_from"] = {{"config_sha256", sha256_file(config_file(from))}};
  if (!start.empty()) manifest["start_from"] = manifest_of_start(start);
  write_drafter(training.task.parameters(), {outcome.curve, manifest}, options.output,
                write_config);
}

}  // namespace speclab::engines
