#include "engines/training/torch/small_transformer_model.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "engines/training/torch/target_rows.h"

namespace speclab::engines {
namespace {

/// One (row, weight) behind the other.
struct WeightedRows {
  std::vector<std::int64_t> rows;
  std::vector<float> weights;

  void add(std::int64_t row, float weight) {
    rows.push_back(std::max<std::int64_t>(row, 0));
    weights.push_back(row == kNoRow ? 0.0f : weight);
  }
};

class BatchBuilder {
 public:
  BatchBuilder(TrainingTask::Texts texts, std::span<const std::int32_t> rows)
      : rows_(rows), num_texts_(texts.size()) {
    for (const OwnText* text : texts) longest_ = std::max(longest_, text->tokens.size());
    for (const OwnText* text : texts) add(*text);
  }

  DraftBatch batch() const {
    const auto n = static_cast<std::int64_t>(positions_.size()),
               k = static_cast<std::int64_t>(TopLaw::kSize);
    return {at::tensor(tokens_).view(
                {static_cast<std::int64_t>(num_texts_), static_cast<std::int64_t>(longest_)}),
            at::tensor(positions_),
            at::tensor(top_.rows).view({n, k}),
            at::tensor(top_.weights).view({n, k}),
            at::tensor(next_.rows),
            at::tensor(next_.weights),
            at::tensor(likeliest_)};
  }

 private:
  std::int64_t row_of(Token token) const { return rows_[static_cast<std::size_t>(token)]; }

  void add(const OwnText& text) {
    const std::size_t begin = tokens_.size();
    for (std::size_t i = 0; i < text.laws.size(); ++i) {
      const std::size_t emitted = static_cast<std::size_t>(text.prompt_length) + i;
      positions_.push_back(static_cast<std::int64_t>(begin + emitted - 1));
      add_law(text.laws[i], text.tokens[emitted]);
    }
    tokens_.insert(tokens_.end(), text.tokens.begin(), text.tokens.end());
    tokens_.resize(begin + longest_, 0);
  }

  void add_law(const TopLaw& law, Token emitted) {
    next_.add(row_of(emitted),
              std::ranges::find(law.tokens, emitted) == std::end(law.tokens) ? 1.0f : 0.0f);
    for (std::size_t k = 0; k < TopLaw::kSize; ++k)
      top_.add(row_of(law.tokens[k]), law.probabilities[k]);
    likeliest_.push_back(row_of(law.tokens[0]));
  }

  std::span<const std::int32_t> rows_;
  std::size_t num_texts_, longest_ = 0;
  std::vector<std::int64_t> tokens_, positions_, likeliest_;
  WeightedRows top_, next_;
};

}  // namespace

DraftBatch make_draft_batch(TrainingTask::Texts texts, std::span<const std::int32_t> rows) {
  return BatchBuilder(texts, rows).batch();
}

DraftBatch on_device(const DraftBatch& batch, const at::Device& device) {
  return {batch.tokens.to(device),      batch.positions.to(device), batch.top_rows.to(device),
          batch.top_weights.to(device), batch.next_rows.to(device), batch.next_weights.to(device),
          batch.likeliest.to(device)};
}

SmallTransformerModel::SmallTransformerModel(const DecoderShape& config,
                                             const at::Tensor& embedding, std::uint64_t seed)
    : config_(config) {
  if (!config.draft_vocabulary.empty()) draft_vocabulary_ = tokens_tensor(config.draft_vocabulary);
  at::manual_seed(seed);
  parameters_.add("model.embed_tokens.weight", embedding, Parameters::Use::table);
  for (std::int32_t l = 0; l < config.num_layers; ++l)
    parameters_.add_layer(config, l, 1.0 / std::sqrt(2.0 * config.num_layers));
  parameters_.add_norm("model.norm.weight", config.hidden_size);
}

void SmallTransformerModel::move_to(const at::Device& device) {
  parameters_.move_to(device);
  if (draft_vocabulary_.defined()) draft_vocabulary_ = draft_vocabulary_.to(device);
}

at::Tensor SmallTransformerModel::attention(const at::Tensor& x, const std::string& prefix) const {
  const auto positions = at::arange(x.size(1), x.options().dtype(at::kDouble));
  const auto query =
      rotated(project_heads(x, parameters_, prefix + "self_attn.q_proj.weight", config_), positions,
              config_);
  const auto key =
      rotated(project_heads(x, parameters_, prefix + "self_attn.k_proj.weight", config_), positions,
              config_);
  const auto value = project_heads(x, parameters_, prefix + "self_attn.v_proj.weight", config_);
  const auto mixed = at::scaled_dot_product_attention(
      query, key, value, {}, 0.0, true, std::nullopt, config_.num_kv_heads != config_.num_heads);
  return parameters_.linear(
      mixed.transpose(1, 2).reshape({x.size(0), x.size(1), config_.query_size()}),
      prefix + "self_attn.o_proj.weight");
}

at::Tensor SmallTransformerModel::hidden(const at::Tensor& tokens) const {
  const double epsilon = config_.norm_epsilon;
  auto x = at::embedding(parameters_["model.embed_tokens.weight"], tokens);
  for (std::int32_t l = 0; l < config_.num_layers; ++l) {
    const std::string prefix = layer_prefix(l);
    x = x + attention(rms_norm(x, parameters_[prefix + "input_layernorm.weight"], epsilon), prefix);
    x = x +
        feed_forward(rms_norm(x, parameters_[prefix + "post_attention_layernorm.weight"], epsilon),
                     parameters_, prefix);
  }
  return rms_norm(x, parameters_["model.norm.weight"], epsilon);
}

at::Tensor SmallTransformerModel::head() const {
  const at::Tensor& table = parameters_["model.embed_tokens.weight"];
  return draft_vocabulary_.defined() ? table.index_select(0, draft_vocabulary_) : table;
}

void SmallTransformerModel::add_head_gradient(const at::Tensor& gradient, double scale) {
  at::Tensor& of_table = parameters_["model.embed_tokens.weight"].mutable_grad();
  if (draft_vocabulary_.defined())
    of_table.index_add_(0, draft_vocabulary_, gradient, scale);
  else
    of_table.add_(gradient, scale);
}

}  // namespace speclab::engines
