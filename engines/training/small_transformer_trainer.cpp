#include "engines/training/small_transformer_trainer.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>

#include "engines/decoding/clock.h"
#include "engines/training/drafter_folder.h"
#include "engines/training/small_transformer_model.h"
#include "sim/core/errors.h"
#include "sim/core/rng_stream.h"

namespace speclab::engines {
namespace {

/// The leading principal directions of the target's table, scaled to unit variance.
torch::Tensor projected_embedding(const TargetEmbedding& target, std::int64_t size) {
  const auto table = torch::from_blob(const_cast<float*>(target.values.data()), {target.vocab_size, target.hidden_size}, torch::kFloat);
  const auto directions = std::get<1>(torch::linalg_eigh(torch::matmul(table.t(), table))).narrow(1, target.hidden_size - size, size);
  const auto projected = torch::matmul(table, directions);
  return projected * (1.0 / std::sqrt(static_cast<double>(size)) / projected.std().item<double>());
}

LlamaConfig drafter_config(const TargetEmbedding& target, const SmallTransformerOptions& options) {
  LlamaConfig config;
  config.vocab_size = target.vocab_size;
  config.context_length = target.context_length;
  config.num_layers = options.num_layers;
  config.hidden_size = options.hidden_size;
  config.intermediate_size = options.intermediate_size;
  config.num_heads = config.num_kv_heads = options.num_heads;
  config.head_dim = options.hidden_size / options.num_heads;
  config.rope_theta = 10000.0f;
  config.rms_epsilon = 1e-5f;
  config.validate("the drafter's shape");
  return config;
}

/// Sequences padded to one length, and the emitted positions that count.
struct Batch {
  torch::Tensor tokens;         ///< [B, T]
  torch::Tensor positions;      ///< [N] into B * T: where the next token was emitted
  torch::Tensor top_tokens;     ///< [N, K]
  torch::Tensor top_weights;    ///< [N, K]
  torch::Tensor next_tokens;    ///< [N]
  torch::Tensor next_weights;   ///< [N]: 1 where the emitted token is outside the top
};

Batch make_batch(const std::vector<const OwnText*>& texts) {
  std::size_t longest = 0;
  for (const OwnText* text : texts) longest = std::max(longest, text->tokens.size());
  std::vector<std::int64_t> tokens(texts.size() * longest, 0), positions, top_tokens, next_tokens;
  std::vector<float> top_weights, next_weights;
  for (std::size_t b = 0; b < texts.size(); ++b) {
    const OwnText& text = *texts[b];
    std::copy(text.tokens.begin(), text.tokens.end(), tokens.begin() + static_cast<std::ptrdiff_t>(b * longest));
    for (std::size_t i = 0; i < text.laws.size(); ++i) {
      const std::size_t next = static_cast<std::size_t>(text.prompt_length) + i;
      const TopLaw& law = text.laws[i];
      positions.push_back(static_cast<std::int64_t>(b * longest + next - 1));
      next_tokens.push_back(text.tokens[next]);
      const bool in_top = std::find(std::begin(law.tokens), std::end(law.tokens), text.tokens[next]) != std::end(law.tokens);
      next_weights.push_back(in_top ? 0.0f : 1.0f);
      top_tokens.insert(top_tokens.end(), std::begin(law.tokens), std::end(law.tokens));
      top_weights.insert(top_weights.end(), std::begin(law.probabilities), std::end(law.probabilities));
    }
  }
  const auto n = static_cast<std::int64_t>(positions.size()), k = static_cast<std::int64_t>(TopLaw::kSize);
  return {torch::tensor(tokens).view({static_cast<std::int64_t>(texts.size()), static_cast<std::int64_t>(longest)}), torch::tensor(positions),
          torch::tensor(top_tokens).view({n, k}), torch::tensor(top_weights).view({n, k}), torch::tensor(next_tokens), torch::tensor(next_weights)};
}

torch::Tensor batch_hidden(const SmallTransformerModel& model, const Batch& batch) {
  const auto hidden = model.hidden(batch.tokens);
  return hidden.view({-1, hidden.size(-1)}).index_select(0, batch.positions);
}

/// Cross-entropy of positions [first, first + count) to the target's law, summed; `scores` [count, vocab] become its
/// gradient, softmax times the positions' weight less the weights.
double loss_and_gradient(const Batch& batch, std::int64_t first, torch::Tensor& scores) {
  const std::int64_t count = scores.size(0);
  const auto top_tokens = batch.top_tokens.narrow(0, first, count), next_tokens = batch.next_tokens.narrow(0, first, count).unsqueeze(1);
  const auto top_weights = batch.top_weights.narrow(0, first, count), next_weights = batch.next_weights.narrow(0, first, count).unsqueeze(1);
  const auto weight = top_weights.sum(1, true) + next_weights;
  const auto matched = (top_weights * scores.gather(1, top_tokens)).sum(1, true) + next_weights * scores.gather(1, next_tokens);
  const auto largest = std::get<0>(scores.max(1, true));
  scores.sub_(largest).exp_();
  const auto total = scores.sum(1, true);
  scores.mul_(weight / total);
  scores.scatter_add_(1, top_tokens, -top_weights).scatter_add_(1, next_tokens, -next_weights);
  return (weight * (total.log() + largest) - matched).sum().item<double>();
}

/// Mean cross-entropy; gradients are added to every parameter. The vocabulary is met a few positions at a time, so that
/// the scores stay in the processor's cache instead of filling memory once an operation.
double backward(SmallTransformerModel& model, const Batch& batch) {
  constexpr std::int64_t kChunk = 96;
  const auto hidden = batch_hidden(model, batch);
  const std::int64_t count = hidden.size(0);
  auto& table = model.parameters().front().value;
  const auto fixed_hidden = hidden.detach(), fixed_table = table.detach();
  auto hidden_gradient = torch::empty_like(fixed_hidden), table_gradient = torch::zeros_like(fixed_table);
  double loss = 0;
  for (std::int64_t first = 0; first < count; first += kChunk) {
    const std::int64_t size = std::min(kChunk, count - first);
    auto scores = torch::matmul(fixed_hidden.narrow(0, first, size), fixed_table.t());
    loss += loss_and_gradient(batch, first, scores);
    hidden_gradient.narrow(0, first, size).copy_(torch::matmul(scores, fixed_table));
    table_gradient.addmm_(scores.t(), fixed_hidden.narrow(0, first, size));
  }
  const double scale = 1.0 / static_cast<double>(count);
  hidden.backward(hidden_gradient.mul_(scale));
  table.mutable_grad().add_(table_gradient, scale);
  return loss * scale;
}

struct Validation {
  double loss = 0, acceptance_rate = 0, greedy_agreement = 0;
};

/// Over held-out text. The overlap with the target counts its most likely tokens only: a lower bound on sum of min(p, q).
Validation validate(const SmallTransformerModel& model, const std::vector<const OwnText*>& texts) {
  torch::NoGradGuard guard;
  Validation sum;
  double positions = 0;
  constexpr std::size_t kTexts = 4;
  for (std::size_t i = 0; i < texts.size(); i += kTexts) {
    const Batch batch = make_batch({texts.begin() + static_cast<std::ptrdiff_t>(i), texts.begin() + static_cast<std::ptrdiff_t>(std::min(i + kTexts, texts.size()))});
    const double n = static_cast<double>(batch.positions.size(0));
    auto scores = model.logits(batch_hidden(model, batch));
    const auto probabilities = torch::softmax(scores, 1);
    sum.loss += loss_and_gradient(batch, 0, scores);
    sum.acceptance_rate += torch::minimum(probabilities.gather(1, batch.top_tokens), batch.top_weights).sum().item<double>();
    sum.greedy_agreement += (probabilities.argmax(1) == batch.top_tokens.select(1, 0)).sum().item<double>();
    positions += n;
  }
  return {sum.loss / positions, sum.acceptance_rate / positions, sum.greedy_agreement / positions};
}

/// Warm-up over 3 %, then a half cosine to 0. @param fraction  of the training, [0, 1]
double rate_multiplier(double fraction) {
  constexpr double kWarmUp = 0.03;
  if (fraction < kWarmUp) return fraction / kWarmUp;
  return 0.5 * (1.0 + std::cos(std::numbers::pi * (fraction - kWarmUp) / (1.0 - kWarmUp)));
}

torch::optim::AdamW make_optimiser(SmallTransformerModel& model, const SmallTransformerOptions& options) {
  std::vector<torch::Tensor> decaying, constant;
  for (const auto& parameter : model.parameters()) (parameter.decays ? decaying : constant).push_back(parameter.value);
  const auto group = [&](std::vector<torch::Tensor> values, double decay) {
    auto settings = std::make_unique<torch::optim::AdamWOptions>(options.learning_rate);
    settings->betas({0.9, 0.98}).weight_decay(decay);
    return torch::optim::OptimizerParamGroup(std::move(values), std::move(settings));
  };
  return torch::optim::AdamW(std::vector<torch::optim::OptimizerParamGroup>{group(decaying, options.weight_decay), group(constant, 0.0)},
                             torch::optim::AdamWOptions(options.learning_rate));
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint32_t epoch, std::uint64_t seed) {
  const RngStream stream(seed);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(stream.uniform({epoch, static_cast<std::uint32_t>(i), Purpose::train, 0}) * static_cast<double>(i))]);
  return order;
}

class Trainer {
 public:
  Trainer(const std::vector<OwnText>& texts, SmallTransformerModel& model, const SmallTransformerOptions& options, const TrainCallback& progress)
      : model_(model), options_(options), progress_(progress), optimiser_(make_optimiser(model, options)) {
    const auto held_out = static_cast<std::size_t>(options.validation_sequences);
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (!texts[i].laws.empty()) (validation_.size() < held_out ? validation_ : training_).push_back(&texts[i]);
    if (training_.size() < static_cast<std::size_t>(options.batch))
      throw ConfigError(fmt::format("{} texts are left for training after {} for validation; allowed: at least one batch of {}; add prompts", training_.size(), held_out, options.batch));
  }

  void run() {
    const std::size_t steps_per_epoch = training_.size() / static_cast<std::size_t>(options_.batch);
    const std::size_t steps = steps_per_epoch * static_cast<std::size_t>(options_.epochs);
    for (std::size_t step = 0; step < steps && fraction(step, steps) < 1.0; ++step) {
      if (step % steps_per_epoch == 0) order_ = shuffled(training_.size(), static_cast<std::uint32_t>(step / steps_per_epoch), options_.seed);
      train_step((step % steps_per_epoch) * static_cast<std::size_t>(options_.batch), rate_multiplier(fraction(step, steps)));
      if (step % 50 == 49) report(fraction(step + 1, steps));
    }
    report(1.0);
  }

  const std::string& curve() const { return curve_; }

 private:
  /// Of the training that is done, by steps or by time, whichever is further.
  double fraction(std::size_t step, std::size_t steps) const {
    const double by_time = static_cast<double>(now_ns() - start_ns_) / (options_.max_minutes * 60e9);
    return std::max(static_cast<double>(step) / static_cast<double>(steps), by_time);
  }

  void train_step(std::size_t first, double multiplier) {
    std::vector<const OwnText*> texts;
    for (std::size_t i = first; i < first + static_cast<std::size_t>(options_.batch); ++i) texts.push_back(training_[order_[i]]);
    const Batch batch = make_batch(texts);
    for (auto& group : optimiser_.param_groups()) static_cast<torch::optim::AdamWOptions&>(group.options()).lr(options_.learning_rate * multiplier);
    optimiser_.zero_grad();
    const double loss = backward(model_, batch);
    if (!std::isfinite(loss)) throw DataError(fmt::format("training diverged after {} tokens: the loss is not finite; lower drafter.learning_rate = {}", visited_, options_.learning_rate));
    loss_sum_ += loss;
    std::vector<torch::Tensor> values;
    for (const auto& parameter : model_.parameters()) values.push_back(parameter.value);
    torch::nn::utils::clip_grad_norm_(values, options_.max_gradient_norm);
    optimiser_.step();
    ++loss_count_;
    visited_ += batch.positions.size(0);
  }

  void report(double done) {
    if (loss_count_ == 0) return;
    const Validation v = validate(model_, validation_);
    const double loss = loss_sum_ / loss_count_;
    curve_ += fmt::format("{},{:.5f},{:.5f},{:.5f},{:.5f}\n", visited_, loss, v.loss, v.acceptance_rate, v.greedy_agreement);
    progress_({.phase = "train", .fraction = done, .loss = loss, .acceptance_rate = v.acceptance_rate, .greedy_agreement = v.greedy_agreement, .tokens = visited_});
    loss_sum_ = 0;
    loss_count_ = 0;
  }

  SmallTransformerModel& model_;
  const SmallTransformerOptions& options_;
  const TrainCallback& progress_;
  torch::optim::AdamW optimiser_;
  std::vector<const OwnText*> training_, validation_;
  std::vector<std::size_t> order_;
  const std::int64_t start_ns_ = now_ns();
  double loss_sum_ = 0;
  int loss_count_ = 0;
  std::int64_t visited_ = 0;
  std::string curve_ = "tokens,loss_nats,validation_loss_nats,validation_acceptance_rate,validation_greedy_agreement\n";
};

}  // namespace

void train_small_transformer(const std::vector<OwnText>& texts, const TargetEmbedding& target, const SmallTransformerOptions& options,
                             const std::string& output_folder, const TrainCallback& progress) {
  SmallTransformerModel model(drafter_config(target, options), projected_embedding(target, options.hidden_size), options.seed);
  Trainer trainer(texts, model, options, progress);
  trainer.run();
  write_drafter_folder(model, trainer.curve(), output_folder);
}

}  // namespace speclab::engines
