#include "engines/cpu/decoder_cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engines/cpu/steps.h"
#include "sim/system/errors.h"

namespace speclab::engines::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kManyBytes = std::int64_t{48} << 20;  ///< more than caches hold, expanded
constexpr int kPasses = 3;
constexpr int kProbedRows[] = {1, 2, 4, 8, 16};
/// One row leaves the low-bit form only for a clear loss, so that the bytes of a step are the same
/// from run to run.
constexpr double kClearLoss = 1.25;

/// Products of layers, until they are too large for caches.
std::vector<const Linear*> probed_products(const PackedDecoder& model) {
  std::vector<const Linear*> products;
  std::int64_t bytes = 0;
  for (const Layer& layer : model.layers)
    for (const Linear* linear :
         {&layer.query_key_value, &layer.attention_output, &layer.first, &layer.down}) {
      if (linear->expanded.columns() == 0 || bytes >= kManyBytes) continue;
      products.push_back(linear);
      bytes += linear->matrix.bytes();
    }
  return products;
}

/// Duration of one pass over all of them.
double seconds_of_products(const PackedDecoder& model, Workspace& room,
                           std::span<const Linear* const> products, int rows) {
  constexpr BFloat16 kOne = 0x3F80;
  std::int64_t widest = 0;
  for (const Linear* linear : products)
    widest = std::max<std::int64_t>(widest, linear->matrix.columns());
  const std::vector<BFloat16> x(static_cast<std::size_t>(rows * model.deepest), kOne);
  std::vector<float> out(static_cast<std::size_t>(rows * widest));
  const auto start = Clock::now();
  room.team->run([&](int rank) {
    const Worker worker{model, room, rank};
    for (const Linear* linear : products) {
      multiply(worker, *linear, {x.data(), rows, out.data(), linear->matrix.columns()});
      worker.barrier();
    }
  });
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Sets the most rows whose products take less time on low-bit weights than on expanded ones. Both
/// give the same bits. The time is the best of a few passes that take turns, since other programs
/// may disturb any of them.
void choose_low_bit_rows(PackedDecoder& model, Workspace& room) {
  const std::vector<const Linear*> products = probed_products(model);
  if (products.empty()) return;
  int most = 0;
  for (const int rows : kProbedRows) {
    double low_bit = 1e9, expanded = 1e9;
    for (int pass = 0; pass < kPasses; ++pass) {
      model.low_bit_rows = rows;
      low_bit = std::min(low_bit, seconds_of_products(model, room, products, rows));
      model.low_bit_rows = 0;
      expanded = std::min(expanded, seconds_of_products(model, room, products, rows));
    }
    if (low_bit > (rows == 1 ? kClearLoss : 1.0) * expanded) break;
    most = rows;
  }
  model.low_bit_rows = most;
}

}  // namespace

DecoderCpu::DecoderCpu(const DecoderShape& shape, const DecoderWeights& weights,
                       const NumberForms& numbers, std::shared_ptr<ThreadTeam> team,
                       const CpuKernels* kernels)
    : model_(std::make_unique<PackedDecoder>(load_decoder(shape, weights, numbers, *team))),
      room_(std::make_unique<Workspace>(*model_, std::move(team), kernels)),
      info_(describe(shape, weights, numbers, kernels)) {
  choose_low_bit_rows(*model_, *room_);
  const NumberForms wide = numbers.type;
  SPECLAB_EXPECT(
      numbers.weights == WeightChoice::fastest || info_.weight_bytes == model_->bytes_of_a_row(),
      "matrices of the sizes that are told");
  info_.weight_bytes = model_->bytes_of_a_row();
  if (model_->low_bit_rows > 0) {
    info_.narrow_rows = model_->low_bit_rows;
    info_.wide_weight_bytes = cpu::bytes_of_a_row(shape, MatrixForms(shape, weights, wide));
  }
}

DecoderCpu::~DecoderCpu() = default;

ModelInfo DecoderCpu::describe(const DecoderShape& shape, const DecoderWeights& weights,
                               const NumberForms& numbers, const CpuKernels* kernels) {
  const Widths widths(shape);
  const MatrixForms forms(shape, weights, numbers);
  const std::string kept = forms.described();
  const bool is_padded = widths.hidden != shape.hidden_size || widths.head != shape.head_dim ||
                         widths.inner != shape.intermediate_size ||
                         widths.expert != shape.expert_size;
  ModelInfo info;
  info.name = shape.name;
  info.family = shape.family;
  info.dtype = numbers.name();
  info.device = "cpu";
  info.kernels = fmt::format("{}{}{}{}", kernels->name, is_padded ? ", sizes padded to 16" : "",
                             kept.empty() ? "" : ", ", kept);
  info.sha256 = weights.sha256();
  info.config_sha256 = shape.config_sha256;
  info.random_weights = weights.are_random();
  info.vocab_size = shape.vocab_size;
  info.context_length = shape.context_length;
  info.num_layers = shape.num_layers;
  info.hidden_size = shape.hidden_size;
  info.state_width = shape.state_width;
  info.widened_from = shape.widened_from;
  info.num_state_layers = static_cast<std::int32_t>(shape.state_layers().size());
  info.feature_size = shape.feature_size;
  info.draft_vocabulary = shape.draft_vocabulary;
  info.num_parameters = shape.num_parameters();
  info.weight_bytes = bytes_of_a_row(shape, forms);
  if (const std::optional<StreamPlan> plan = stream_plan(shape, weights, numbers)) {
    info.streamed_bytes = plan->streamed_bytes();
    info.kernels += fmt::format(", {} of {} layers streamed",
                                shape.num_layers - plan->num_resident_layers(), shape.num_layers);
  }
  info.cache_bytes_per_token = std::int64_t{shape.num_layers} * widths.key * 2 *
                               (numbers.cache == ElementType::float32 ? 4 : 2);
  return info;
}

std::unique_ptr<KvCache> DecoderCpu::make_cache(std::int32_t max_sequences, std::int32_t capacity) {
  return std::make_unique<KvCacheCpu>(model_->shape, model_->numbers.cache, max_sequences,
                                      capacity);
}

ForwardResult DecoderCpu::forward(std::span<const ForwardRow> rows, KvCache& cache) {
  SPECLAB_EXPECT(!rows.empty(), "a forward has at least one row");
  auto* own_cache = dynamic_cast<KvCacheCpu*>(&cache);
  SPECLAB_EXPECT(own_cache != nullptr, "the cache belongs to another kind of model");
  const DecoderShape& shape = model_->shape;
  own_cache->plan().place(rows,
                          {shape.vocab_size, shape.context_length, shape.is_feature_transformer()});
  Workspace& room = *room_;
  room.begin(*model_, rows, *own_cache);
  if (model_->streaming) model_->streaming->stream->begin();
  room.team->run([&](int rank) {
    const Worker worker{*model_, room, rank};
    embed(worker);
    run_layers(worker);
    if (!room.going_on.empty()) compute_outputs(worker);
  });
  if (model_->streaming) model_->streaming->stream->finish();
  const auto values = [](std::size_t count, std::int32_t size) {
    return count * static_cast<std::size_t>(size);
  };
  return {
      .logits = std::span(room.logits).first(values(room.logit_rows.size(), shape.num_logits())),
      .vocab_size = shape.num_logits(),
      .hidden = std::span(room.hidden).first(values(room.hidden_rows.size(), model_->state_size())),
      .state_size = model_->state_size()};
}

}  // namespace speclab::engines::cpu
