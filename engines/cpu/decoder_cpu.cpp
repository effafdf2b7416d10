#include "engines/cpu/decoder_cpu.h"

#include <fmt/format.h>

#include "engines/cpu/form_probe.h"
#include "engines/cpu/steps.h"
#include "sim/system/errors.h"

namespace speclab::engines::cpu {

DecoderCpu::DecoderCpu(const DecoderShape& shape, const DecoderWeights& weights,
                       const NumberForms& numbers, const std::shared_ptr<ThreadTeam>& team,
                       const CpuKernels* kernels)
    : DecoderCpu(shape, weights,
                 keeps_one_form(numbers, *kernels) ? choose_form(shape, weights, team, kernels)
                                                   : FormChoice{numbers},
                 team, kernels) {}

DecoderCpu::DecoderCpu(const DecoderShape& shape, const DecoderWeights& weights,
                       FormChoice&& choice, const std::shared_ptr<ThreadTeam>& team,
                       const CpuKernels* kernels)
    : model_(std::make_unique<PackedDecoder>(
          load_decoder(shape, weights, choice.numbers, *team, std::move(choice.layers)))),
      room_(std::make_unique<Workspace>(*model_, team, kernels)),
      info_(describe(shape, weights, choice.numbers, kernels)) {
  const NumberForms& numbers = choice.numbers;
  info_.speedup_of_int8 = choice.speedup_of_int8;
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
