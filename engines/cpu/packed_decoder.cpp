#include "engines/cpu/packed_decoder.h"

#include <algorithm>

#include "engines/cpu/padding.h"

namespace speclab::engines::cpu {
namespace {

using enum TensorRole;

void load_vocabulary(const Loading& from, ThreadTeam& team, PackedDecoder& model) {
  model.embedding.matrix = load_table(from, embedding, team);
  if (!from.shape.head_is_embedding()) model.head.matrix = load_table(from, head, team);
}

void load_tables(const Loading& from, PackedDecoder& model) {
  const DecoderShape& shape = from.shape;
  model.head_product().bias = load_bias(from, head_bias, 0);
  if (shape.positions == Positions::learned)
    model.position_embedding =
        widened(from.weights.read(position_embedding, 0), shape.hidden_size, from.widths.hidden);
  if (shape.embedding_size > 0) {
    model.embedding_projection.matrix = load_matrix(from, embedding_projection, 0);
    model.output_projection.matrix = load_matrix(from, output_projection, 0);
  }
  if (shape.is_feature_transformer()) {
    model.embedding_norm.weight = from.weights.read(embedding_norm, 0);
    model.feature_norm.weight = from.weights.read(feature_norm, 0);
    model.fusion.matrix = load_matrix(from, fusion, 0);
  }
  model.output_norm = load_norm(from, output_norm, output_norm_bias, 0);
}

/// Calls job(layer) for layers [begin, end), dealt to the threads in turn.
template <typename Job>
void for_each_layer(ThreadTeam& team, std::int32_t begin, std::int32_t end, const Job& job) {
  team.run([&](int rank) {
    for (std::int32_t layer = begin + rank; layer < end; layer += team.size()) job(layer);
  });
}

/// The layers behind those in memory, then the head.
void load_streamed(const Loading& from, const StreamPlan& plan, PackedDecoder& model) {
  const StreamedMatrices streamed(from.shape, from.weights, plan);
  const Loading of_layer{from.shape, from.widths, from.weights, from.forms, &streamed};
  for (std::int32_t layer = plan.num_resident_layers(); layer < from.shape.num_layers; ++layer)
    model.layers[static_cast<std::size_t>(layer)] = load_layer(of_layer, layer);
  model.head_product().matrix = streamed.head(from.forms.of(model.head_role(), 0));
  model.streaming = std::make_unique<Streaming>(
      streamed.streaming(RowReader(table_places(from.shape, from.weights, embedding))));
}

void add_expanded(Linear& to, Linear&& expanded) {
  if (to.matrix.is_low_bit()) to.expanded = std::move(expanded.matrix);
}

/// The expanded form of every low-bit product of a layer beside it.
void add_expanded(Layer& to, Layer&& expanded) {
  add_expanded(to.query_key_value, std::move(expanded.query_key_value));
  add_expanded(to.attention_output, std::move(expanded.attention_output));
  add_expanded(to.first, std::move(expanded.first));
  add_expanded(to.down, std::move(expanded.down));
  add_expanded(to.experts.router, std::move(expanded.experts.router));
  for (std::size_t e = 0; e < to.experts.first.size(); ++e) {
    add_expanded(to.experts.first[e], std::move(expanded.experts.first[e]));
    add_expanded(to.experts.down[e], std::move(expanded.experts.down[e]));
  }
}

/// The expanded form of every low-bit product beside it.
void load_expanded(const Loading& low_bit, ThreadTeam& team, PackedDecoder& model) {
  const NumberForms numbers = model.numbers.type;
  const Loading from{low_bit.shape, low_bit.widths, low_bit.weights,
                     MatrixForms(low_bit.shape, low_bit.weights, numbers)};
  add_expanded(model.head_product(), {load_table(from, model.head_role(), team)});
  for_each_layer(team, 0, from.shape.num_layers, [&](std::int32_t layer) {
    add_expanded(model.layers[static_cast<std::size_t>(layer)], load_layer(from, layer));
  });
}

}  // namespace

std::vector<Layer> load_both_forms(const DecoderShape& shape, const DecoderWeights& weights,
                                   std::int32_t num_layers, ThreadTeam& team) {
  const NumberForms kept(WeightChoice::file, ProductKind::exact), expanded;
  const Widths widths(shape);
  const Loading low_bit{shape, widths, weights, MatrixForms(shape, weights, kept)},
      wide{shape, widths, weights, MatrixForms(shape, weights, expanded)};
  std::vector<Layer> layers(static_cast<std::size_t>(num_layers));
  for_each_layer(team, 0, num_layers, [&](std::int32_t layer) {
    Layer& both = layers[static_cast<std::size_t>(layer)];
    both = load_layer(low_bit, layer);
    add_expanded(both, load_layer(wide, layer));
  });
  return layers;
}

PackedDecoder load_decoder(const DecoderShape& shape, const DecoderWeights& weights,
                           const NumberForms& numbers, ThreadTeam& team,
                           std::vector<Layer> first_layers) {
  const auto num_loaded = static_cast<std::int32_t>(first_layers.size());
  PackedDecoder model{.shape = shape,
                      .widths = Widths(shape),
                      .numbers = numbers,
                      .type = numbers.activations(),
                      .state_layers = shape.state_layers()};
  const Loading from{shape, model.widths, weights, MatrixForms(shape, weights, numbers)};
  const WeightForm table = from.forms.of(embedding, 0);
  model.rounds_embedding =
      table == WeightForm::bfloat16 || (is_low_bit(table) && numbers.kind == ProductKind::exact);
  const std::optional<StreamPlan> plan = stream_plan(shape, weights, numbers);
  if (!plan) load_vocabulary(from, team, model);
  load_tables(from, model);
  model.layers = std::move(first_layers);
  model.layers.resize(static_cast<std::size_t>(shape.num_layers));
  for_each_layer(team, num_loaded, plan ? plan->num_resident_layers() : shape.num_layers,
                 [&](std::int32_t layer) {
                   model.layers[static_cast<std::size_t>(layer)] = load_layer(from, layer);
                 });
  if (plan) load_streamed(from, *plan, model);
  if (numbers.weights == WeightChoice::fastest) load_expanded(from, team, model);
  const Widths& widths = model.widths;
  model.deepest = std::max({widths.hidden, widths.table, widths.query, widths.inner, widths.expert,
                            model.fusion.matrix.depth()});
  return model;
}

std::int64_t PackedDecoder::bytes_of_a_row() const {
  const auto bytes = [this](const Linear& linear) { return form_for(linear, 1).bytes(); };
  std::int64_t all = bytes(head_product());
  for (const Linear* once : {&fusion, &embedding_projection, &output_projection})
    all += once->matrix.bytes();
  for (const Layer& layer : layers) {
    all += bytes(layer.query_key_value) + bytes(layer.attention_output) + bytes(layer.first) +
           bytes(layer.down);
    const Experts& experts = layer.experts;
    if (!experts.first.empty())
      all += bytes(experts.router) +
             shape.experts_per_token * (bytes(experts.first.front()) + bytes(experts.down.front()));
  }
  return all;
}

}  // namespace speclab::engines::cpu
