#include "engines/training/torch/small_transformer_trainer.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "engines/families/json_shape.h"
#include "engines/models/decoder_shape.h"
#include "engines/training/draft_tokens.h"
#include "engines/training/torch/drafter_folder.h"
#include "engines/training/torch/small_transformer_model.h"
#include "engines/training/torch/training_device.h"
#include "engines/training/torch/training_loop.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::engines {
namespace {

/// The leading principal directions of the target's table, scaled to unit variance.
at::Tensor projected_embedding(const TargetEmbedding& target, std::int64_t size) {
  const auto table = at::from_blob(const_cast<float*>(target.values.data()),
                                   {target.vocab_size, target.hidden_size}, at::kFloat);
  const auto directions = std::get<1>(at::linalg_eigh(at::matmul(table.t(), table)))
                              .narrow(1, target.hidden_size - size, size);
  const auto projected = at::matmul(table, directions);
  return projected * (1.0 / std::sqrt(static_cast<double>(size)) / projected.std().item<double>());
}

/// Unit variance over the width.
at::Tensor random_embedding(std::int32_t vocab_size, std::int64_t size, std::uint64_t seed) {
  at::manual_seed(seed);
  return at::randn({vocab_size, size}) / std::sqrt(static_cast<double>(size));
}

DecoderShape llama_config(std::int32_t vocab_size, std::int32_t context_length,
                          const SmallTransformerOptions& options) {
  DecoderShape config;
  config.vocab_size = vocab_size;
  config.context_length = context_length;
  config.num_layers = options.num_layers;
  config.hidden_size = options.hidden_size;
  config.intermediate_size = options.intermediate_size;
  config.num_heads = config.num_kv_heads = options.num_heads;
  config.head_dim = options.hidden_size / options.num_heads;
  config.rope_theta = 10000.0f;
  config.norm_epsilon = 1e-5f;
  config.validate("the drafter's shape");
  return config;
}

at::Tensor batch_hidden(const SmallTransformerModel& model, const DraftBatch& batch) {
  const auto hidden = model.hidden(batch.tokens);
  return hidden.view({-1, hidden.size(-1)}).index_select(0, batch.positions);
}

/// Cross-entropy of positions [first, first + count) to the target's law, summed; `scores` [count,
/// num_logits] become its gradient, softmax times the positions' weight less the weights.
double loss_and_gradient(const DraftBatch& batch, std::int64_t first, at::Tensor& scores) {
  const std::int64_t count = scores.size(0);
  const auto top_rows = batch.top_rows.narrow(0, first, count),
             next_rows = batch.next_rows.narrow(0, first, count).unsqueeze(1);
  const auto top_weights = batch.top_weights.narrow(0, first, count),
             next_weights = batch.next_weights.narrow(0, first, count).unsqueeze(1);
  const auto weight = top_weights.sum(1, true) + next_weights;
  const auto matched = (top_weights * scores.gather(1, top_rows)).sum(1, true) +
                       next_weights * scores.gather(1, next_rows);
  const auto largest = std::get<0>(scores.max(1, true));
  scores.sub_(largest).exp_();
  const auto total = scores.sum(1, true);
  scores.mul_(weight / total);
  scores.scatter_add_(1, top_rows, -top_weights).scatter_add_(1, next_rows, -next_weights);
  return (weight * (total.log() + largest) - matched).sum().item<double>();
}

/// Mean cross-entropy; gradients are added to every parameter. The vocabulary is met a few
/// positions at a time, so that the scores stay in the processor's cache instead of filling memory
/// once an operation.
double add_gradient(SmallTransformerModel& model, const DraftBatch& batch) {
  constexpr std::int64_t kChunk = 96;
  const auto hidden = batch_hidden(model, batch);
  const std::int64_t count = hidden.size(0);
  const auto fixed_hidden = hidden.detach(), fixed_head = model.head().detach();
  auto hidden_gradient = at::empty_like(fixed_hidden), head_gradient = at::zeros_like(fixed_head);
  double loss = 0;
  for (std::int64_t first = 0; first < count; first += kChunk) {
    const std::int64_t size = std::min(kChunk, count - first);
    auto scores = at::matmul(fixed_hidden.narrow(0, first, size), fixed_head.t());
    loss += loss_and_gradient(batch, first, scores);
    hidden_gradient.narrow(0, first, size).copy_(at::matmul(scores, fixed_head));
    head_gradient.addmm_(scores.t(), fixed_hidden.narrow(0, first, size));
  }
  const double scale = 1.0 / static_cast<double>(count);
  hidden.backward(hidden_gradient.mul_(scale));
  model.add_head_gradient(head_gradient, scale);
  return loss * scale;
}

/// Over held-out text. The overlap with the target counts its most likely tokens only: a lower
/// bound on sum of min(p, q).
std::vector<Validation> overlap(const SmallTransformerModel& model,
                                const std::function<DraftBatch(TrainingTask::Texts)>& batch_of,
                                TrainingTask::Texts texts) {
  at::NoGradGuard guard;
  const auto head = model.head().t();
  Validation sum;
  constexpr std::size_t kTexts = 4;
  for (std::size_t i = 0; i < texts.size(); i += kTexts) {
    const DraftBatch batch = batch_of(texts.subspan(i, std::min(kTexts, texts.size() - i)));
    auto scores = at::matmul(batch_hidden(model, batch), head);
    const auto probabilities = at::softmax(scores, 1);
    sum.loss += loss_and_gradient(batch, 0, scores);
    sum.acceptance_rate += at::minimum(probabilities.gather(1, batch.top_rows), batch.top_weights)
                               .sum()
                               .item<double>();
    sum.greedy_agreement += (probabilities.argmax(1) == batch.likeliest).sum().item<double>();
    sum.positions += static_cast<double>(batch.positions.size(0));
  }
  return {sum.mean()};
}

class SmallTransformerTask final : public TrainingTask {
 public:
  SmallTransformerTask(SmallTransformerModel& model, const at::Device& device, bool has_target)
      : model_(model),
        device_(device),
        rows_(rows_of_tokens(model.config().draft_vocabulary, model.config().vocab_size, kNoRow)),
        has_target_(has_target) {}
  Parameters& parameters() override { return model_.parameters(); }
  double backward(Texts texts) override { return add_gradient(model_, batch_of(texts)); }
  std::vector<Validation> validate(Texts texts) const override {
    return overlap(model_, [this](Texts some) { return batch_of(some); }, texts);
  }
  const char* acceptance_name() const override {
    return has_target_ ? "acceptance_rate_at_least" : "next_token_probability";
  }

 private:
  DraftBatch batch_of(Texts texts) const {
    return on_device(make_draft_batch(texts, rows_), device_);
  }

  SmallTransformerModel& model_;
  at::Device device_;
  std::vector<std::int32_t> rows_;  ///< of the head
  bool has_target_;
};

std::string small_transformer_digest(const TextSplit& texts, const TargetName& target,
                                     const TrainOptions& options) {
  const SmallTransformerOptions& o = options.small_transformer;
  return sha256_text(fmt::format("{} {} {} {} {} {} {}", target.sha256, o.hidden_size, o.num_layers,
                                 o.num_heads, o.intermediate_size, o.draft_vocabulary,
                                 training_digest(texts, options)));
}

/// @param target  empty for a language model, which has none @param write_more  of the folder,
/// before config.json
void train_llama(SmallTransformerModel& model, const TextSplit& split, const TargetName& target,
                 const TrainOptions& options, const TrainCallbacks& callbacks,
                 const std::function<void()>& write_more) {
  const at::Device device = training_device(options.schedule);
  model.parameters().set_dtype(product_dtype(options.schedule));
  model.move_to(device);
  SmallTransformerTask task(model, device, !target.name.empty());
  make_folder(options.output);
  const TrainingOutcome outcome =
      run_training(split, task,
                   {options.schedule,
                    checkpoint_file(options.output),
                    options.provenance,
                    {small_transformer_digest(split, target, options), options.config}},
                   callbacks);
  const DrafterNotes notes{outcome.curve,
                           transformer_manifest(task, split, options, target, outcome)};
  write_drafter(model.parameters(), notes, options.output, [&](const std::string& path) {
    write_more();
    write_llama_config_json(model.config(), path, "bfloat16");
  });
}

}  // namespace

void train_small_transformer(const std::vector<OwnText>& texts, const TargetEmbedding& target,
                             const TrainOptions& options, const TrainCallbacks& callbacks) {
  const SmallTransformerOptions& o = options.small_transformer;
  const TextSplit split = split_texts(texts, options);
  DecoderShape config = llama_config(target.vocab_size, target.context_length, o);
  if (o.draft_vocabulary > 0 && o.draft_vocabulary < target.vocab_size)
    config.draft_vocabulary =
        frequent_tokens(split.training, target.vocab_size, o.draft_vocabulary);
  SmallTransformerModel model(config, projected_embedding(target, o.hidden_size),
                              options.schedule.seed);
  train_llama(model, split, {target.name, target.sha256}, options, callbacks, [] {});
}

void train_byte_transformer(const std::vector<OwnText>& texts, std::int32_t vocab_size,
                            const TrainOptions& options, const TrainCallbacks& callbacks,
                            const std::function<void()>& write_tokenizer) {
  constexpr std::int32_t kLeastContext = 1024;
  const SmallTransformerOptions& o = options.small_transformer;
  const DecoderShape config =
      llama_config(vocab_size, std::max(kLeastContext, options.text.sequence_length), o);
  SmallTransformerModel model(config,
                              random_embedding(vocab_size, o.hidden_size, options.schedule.seed),
                              options.schedule.seed);
  train_llama(model, split_texts(texts, options), {}, options, callbacks, write_tokenizer);
}

}  // namespace speclab::engines
