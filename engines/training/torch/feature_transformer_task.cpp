#include "engines/training/torch/feature_transformer_task.h"

#include <torch/torch.h>

#include <algorithm>

#include "engines/training/torch/feature_batch.h"
#include "engines/training/torch/feature_transformer_model.h"

namespace speclab::engines {
namespace {

at::Tensor table(const std::vector<float>& values, const LlamaConfig& config) {
  return torch::from_blob(const_cast<float*>(values.data()), {config.vocab_size, config.hidden_size}, torch::kFloat);
}

at::Tensor as_tensor(const std::vector<Token>& tokens) { return torch::tensor(std::vector<std::int64_t>(tokens.begin(), tokens.end())); }

/// Cross-entropy to the law, summed over rows; `scores` [n, draft vocabulary] become its gradient: softmax times the law's mass less
/// the law.
double loss_and_gradient(const at::Tensor& law, at::Tensor& scores) {
  const auto largest = std::get<0>(scores.max(1, true));
  scores.sub_(largest);
  const auto matched = (law * scores).sum(1, true);
  scores.exp_();
  const auto total = scores.sum(1, true), mass = law.sum(1, true);
  scores.mul_(mass / total).sub_(law);
  return (mass * total.log() - matched).sum().item<double>();
}

class FeatureTransformerTask final : public TrainingTask {
 public:
  FeatureTransformerTask(const LlamaConfig& config, const FeatureTarget& target, const TrainOptions& options)
      : options_(options.feature_transformer), dtype_(product_dtype(options.schedule.dtype)), model_(config, table(target.embedding, config).clone(), options.schedule.seed),
        drafted_(as_tensor(config.draft_vocabulary)), head_(table(target.head, config).index_select(0, drafted_)), rounded_head_(head_.to(dtype_)) {
    model_.parameters().set_dtype(dtype_);
  }

  Parameters& parameters() override { return model_.parameters(); }

  double backward(Texts texts) override {
    const FeatureBatch batch = batch_of(texts, options_.unrolled_steps);
    std::vector<at::Tensor> states, gradients;
    for (const at::Tensor& of_step : model_.unrolled(batch.input, options_.unrolled_steps)) {
      states.push_back(of_step.reshape({-1, of_step.size(-1)}).index_select(0, batch.rows));
      gradients.push_back(torch::empty_like(states.back()));
    }
    double loss = 0;
    for (std::int64_t first = 0; first < batch.rows.size(0); first += kChunk) loss += add_chunk(batch, first, states, gradients);
    torch::autograd::backward(states, gradients);
    return loss;
  }

  Validation validate(Texts texts) const override {
    const torch::NoGradGuard guard;
    constexpr std::size_t kTexts = 4;
    Validation sum;
    double positions = 0;
    for (std::size_t i = 0; i < texts.size(); i += kTexts) {
      const FeatureBatch batch = batch_of(texts.subspan(i, std::min(kTexts, texts.size() - i)), 1);
      const auto states = model_.unrolled(batch.input, 1).front();
      const auto rows = states.reshape({-1, states.size(-1)}).index_select(0, batch.rows);
      for (std::int64_t first = 0; first < rows.size(0); first += kChunk) add_validation(batch, rows, first, sum);
      positions += static_cast<double>(rows.size(0));
    }
    return {sum.loss / positions, sum.acceptance_rate / positions, sum.greedy_agreement / positions};
  }
  bool validates_whole_law() const override { return true; }

 private:
  static constexpr std::int64_t kChunk = 256;  ///< positions whose scores are in the processor's cache together

  /// With one layer only what is drafted is queried; the keys of a second layer need the first one's states everywhere.
  FeatureBatch batch_of(Texts texts, int num_steps) const {
    const LlamaConfig& config = model_.config();
    return make_feature_batch(texts, config.hidden_size, config.num_layers == 1 ? num_steps - 1 : config.context_length);
  }

  /// The target's law over the draft vocabulary at rows [first, first + count). @param dtype  of the logits
  at::Tensor law(const FeatureBatch& batch, std::int64_t first, std::int64_t count, at::ScalarType dtype) const {
    const auto logits = product(batch.next_hidden.narrow(0, first, count), (dtype == at::kFloat ? head_ : rounded_head_).t(), dtype);
    return (logits - batch.log_partitions.narrow(0, first, count).unsqueeze(1)).exp_();
  }

  double add_chunk(const FeatureBatch& batch, std::int64_t first, const std::vector<at::Tensor>& states, std::vector<at::Tensor>& gradients) const {
    const torch::NoGradGuard guard;
    const std::int64_t total = batch.rows.size(0), count = std::min(kChunk, total - first);
    const auto target_law = law(batch, first, count, dtype_), next = batch.next_hidden.narrow(0, first, count);
    const auto feature_scale = 2 * options_.feature_weight / next.pow(2).sum(1, true);
    double first_loss = 0, weight = 1.0 / static_cast<double>(total);
    for (std::size_t step = 0; step < states.size(); ++step, weight *= options_.step_weight) {
      const auto reached = batch.row_numbers.narrow(0, first, count) >= static_cast<std::int64_t>(step);
      const auto mask = reached.to(torch::kFloat).unsqueeze(1) * weight;
      const auto state = states[step].narrow(0, first, count), off = state - next;
      auto scores = product(state, rounded_head_.t(), dtype_);
      const double loss = weight * loss_and_gradient(target_law, scores);
      if (step == 0) first_loss = loss;
      gradients[step].narrow(0, first, count).copy_((product(scores, rounded_head_, dtype_) + off * feature_scale) * mask);
    }
    return first_loss;
  }

  void add_validation(const FeatureBatch& batch, const at::Tensor& rows, std::int64_t first, Validation& sum) const {
    const std::int64_t count = std::min(kChunk, rows.size(0) - first);
    auto scores = torch::matmul(rows.narrow(0, first, count), head_.t());
    const auto target_law = law(batch, first, count, at::kFloat);
    sum.acceptance_rate += torch::minimum(torch::softmax(scores, 1), target_law).sum().item<double>();
    const auto drafted = drafted_.index_select(0, scores.argmax(1));
    sum.greedy_agreement += (drafted == batch.top_tokens.narrow(0, first, count)).sum().item<double>();
    sum.loss += loss_and_gradient(target_law, scores);
  }

  FeatureTransformerOptions options_;
  at::ScalarType dtype_;
  FeatureTransformerModel model_;
  at::Tensor drafted_;       ///< [draft vocabulary], tokens
  at::Tensor head_;          ///< [draft vocabulary, hidden], the target's rows
  at::Tensor rounded_head_;  ///< the same in dtype_
};

}  // namespace

std::unique_ptr<TrainingTask> feature_transformer_task(const LlamaConfig& config, const FeatureTarget& target, const TrainOptions& options) {
  return std::make_unique<FeatureTransformerTask>(config, target, options);
}

}  // namespace speclab::engines
