#include "engines/cuda/device_llama.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "engines/cuda/kv_cache_cuda.h"
#include "engines/cuda/layer_block.h"
#include "engines/models/decoder_shape.h"
#include "sim/system/errors.h"

namespace speclab::engines::cuda {
namespace {

/// A shape model of more parameters is filled on the device: its values mean nothing, and making
/// them here takes minutes.
constexpr std::int64_t kMostRandomOnHost = 20'000'000;

template <typename T>
DeviceArray<T> rows_of(std::int64_t columns) {
  return DeviceArray<T>(static_cast<std::size_t>(kMaxRows * columns));
}

}  // namespace

DeviceLlama::DeviceLlama(const DecoderShape& config, const DecoderWeights& weights,
                         const Device& device, std::optional<std::int64_t> resident_bytes)
    : config_(config),
      device_(device),
      block_(config),
      resident_(resident_bytes ? ResidentLayers::within(config, *resident_bytes)
                               : ResidentLayers{config.num_layers, 0}) {
  if (const auto lacks = lacking(config))
    throw DeviceError("device 'cuda': " + *lacks + "; use --device cpu");
  require_memory();
  load(weights);
  load_rotations();
  if (!config.draft_vocabulary.empty()) load_draft_vocabulary();
  residual_ = rows_of<float>(config.hidden_size);
  partials_ = rows_of<float>(config.hidden_size / kTileRows);
  gained_ = rows_of<std::uint16_t>(config.hidden_size);
  queries_ = rows_of<std::uint16_t>(config.query_size());
  attended_ = rows_of<std::uint16_t>(config.query_size());
  inner_ = rows_of<std::uint16_t>(config.intermediate_size);
  logits_ = rows_of<float>(config.vocab_size);
  best_ = rows_of<BestLogit>(head_blocks());
  make_plans();
}

std::optional<std::string> DeviceLlama::lacking(const DecoderShape& config) {
  DecoderShape rest = config;  // without what the kernels have beyond Llama
  rest.query_key_value_bias = false, rest.rotary_scaling = {};
  if (const auto choice = beyond_llama(rest))
    return fmt::format(
        "family {} with {}; allowed there: the Llama family's own shape, biases of "
        "queries, keys and values, and scaled rotary positions",
        config.family, *choice);
  if (num_features(config) > kMostFeatures)
    return fmt::format("a drafter that reads {} hidden states a token; allowed there: up to {}",
                       num_features(config), kMostFeatures);
  if (config.head_dim != 32 && config.head_dim != 64 && config.head_dim != 128)
    return fmt::format("heads of {} values; allowed there: 32, 64, 128", config.head_dim);
  for (const std::int32_t size :
       {config.hidden_size, config.intermediate_size, config.query_size()})
    if (size % kTileColumns != 0)
      return fmt::format("a size of {}; allowed there: multiples of {}", size, kTileColumns);
  return std::nullopt;
}

std::int64_t DeviceLlama::query_key_value_row(std::int64_t row) const {
  return cuda::query_key_value_row(row, config_.query_size() + config_.kv_size(), config_.head_dim);
}
std::int64_t DeviceLlama::gate_up_row(std::int64_t row) const {
  return cuda::gate_up_row(row, config_.intermediate_size);
}

void DeviceLlama::fill(std::uint16_t* matrix, const DecoderWeights& weights,
                       std::initializer_list<TensorRole> roles, std::int32_t layer,
                       std::int64_t columns, RowMap map) const {
  const std::uint64_t seed =
      static_cast<std::uint64_t>(layer) << 8 | static_cast<std::uint64_t>(*roles.begin());
  if (weights.are_random() && config_.num_parameters() > kMostRandomOnHost) {
    std::int64_t rows = 0;
    for (const TensorRole role : roles) rows += num_elements(role, config_) / columns;
    return launch_random_weights(matrix, packed_size(rows, columns), seed, device_.context());
  }
  const std::int64_t counting = weights.counting_columns(*roles.begin()).value_or(columns);
  const bool is_part = counting < columns && counting % kTileColumns == 0;
  std::vector<float> stacked;
  for (const TensorRole role : roles) {
    const std::vector<float> values =
        is_part ? weights.read_counting(role, layer) : weights.read(role, layer);
    stacked.insert(stacked.end(), values.begin(), values.end());
  }
  const std::vector<std::uint16_t> packed = pack(
      stacked, is_part ? counting : columns, [&](std::int64_t row) { return (this->*map)(row); });
  if (is_part)
    fill_part(matrix, packed, {counting, columns}, seed);
  else
    copy_to_device(matrix, packed.data(), packed.size() * sizeof(std::uint16_t));
}

/// The first columns of a block of rows stand in front of the others.
void DeviceLlama::fill_part(std::uint16_t* matrix, std::span<const std::uint16_t> packed,
                            const PartOfColumns& part, std::uint64_t seed) const {
  const std::int64_t own = part.counting * kTileRows, whole = part.columns * kTileRows,
                     blocks = std::ssize(packed) / own;
  launch_random_weights(matrix, blocks * whole, seed, device_.context());
  device_.synchronize();
  for (std::int64_t block = 0; block < blocks; ++block)
    copy_to_device(matrix + block * whole, packed.data() + block * own,
                   static_cast<std::size_t>(own) * sizeof(std::uint16_t));
}

DeviceArray<std::uint16_t> DeviceLlama::load_table(const DecoderWeights& weights, TensorRole table,
                                                   std::int64_t columns) const {
  DeviceArray<std::uint16_t> matrix(
      static_cast<std::size_t>(packed_size(num_elements(table, config_) / columns, columns)));
  fill(matrix.data(), weights, {table}, 0, columns, &DeviceLlama::same_row);
  return matrix;
}

DeviceArray<std::uint16_t> DeviceLlama::load_matrices(const DecoderWeights& weights,
                                                      std::int32_t layer) const {
  using enum TensorRole;
  DeviceArray<std::uint16_t> block(static_cast<std::size_t>(block_.elements()));
  const auto fill_one = [&](const LayerBlock::Matrix& matrix,
                            std::initializer_list<TensorRole> roles, std::int64_t columns,
                            RowMap map) {
    fill(block.data() + matrix.first, weights, roles, layer, columns, map);
  };
  fill_one(block_.query_key_value, {query, key, value}, config_.hidden_size,
           &DeviceLlama::query_key_value_row);
  fill_one(block_.attention_output, {attention_output}, config_.query_size(),
           &DeviceLlama::same_row);
  fill_one(block_.gate_up, {gate, up}, config_.hidden_size, &DeviceLlama::gate_up_row);
  fill_one(block_.down, {down}, config_.intermediate_size, &DeviceLlama::same_row);
  device_.synchronize();
  return block;
}

DeviceArray<float> DeviceLlama::load_bias(const DecoderWeights& weights, std::int32_t layer) const {
  using enum TensorRole;
  if (!has_role(query_bias, config_, layer)) return {};
  std::vector<float> stacked;
  for (const TensorRole role : {query_bias, key_bias, value_bias}) {
    const std::vector<float> values = weights.read(role, layer);
    stacked.insert(stacked.end(), values.begin(), values.end());
  }
  std::vector<float> packed;
  for (std::size_t row = 0; row < stacked.size(); ++row)
    packed.push_back(
        stacked[static_cast<std::size_t>(query_key_value_row(static_cast<std::int64_t>(row)))]);
  return on_device<float>(packed);
}

void DeviceLlama::require_memory() const {
  const std::int64_t rows = std::int64_t{config_.vocab_size} +
                            (config_.head_is_embedding() ? 0 : config_.num_logits()),
                     needed = 2 * rows * config_.hidden_size + resident_.count * block_.bytes(),
                     free = device_.free_bytes();
  if (needed > free)
    throw DeviceError(fmt::format(
        "device 'cuda': the weights of {} take {} bytes there, and {} are free; allowed: a model "
        "that fits, --weights streamed with --resident-bytes below {}, or --device cpu",
        config_.name, needed, free, free));
}

void DeviceLlama::load(const DecoderWeights& weights) {
  embedding_ = load_table(weights, TensorRole::embedding, config_.hidden_size);
  if (!config_.head_is_embedding())
    head_ = load_table(weights, TensorRole::head, config_.hidden_size);
  if (config_.is_feature_transformer()) load_fusion(weights);
  const auto norm = [&](TensorRole role, std::int32_t layer) {
    return on_device<float>(weights.read(role, layer));
  };
  output_norm_ = norm(TensorRole::output_norm, 0);
  std::vector<PinnedArray<std::uint16_t>> streamed;
  for (std::int32_t layer = 0; layer < config_.num_layers; ++layer) {
    layers_.push_back({norm(TensorRole::attention_norm, layer),
                       norm(TensorRole::feed_forward_norm, layer), load_matrices(weights, layer),
                       load_bias(weights, layer)});
    if (layer < resident_.count) continue;
    DeviceArray<std::uint16_t>& matrices = layers_.back().matrices;
    streamed.emplace_back(matrices.size());
    copy_to_host(streamed.back().data(), matrices.data(), static_cast<std::size_t>(block_.bytes()));
    matrices = {};
  }
  if (!streamed.empty()) stream_.emplace(std::move(streamed));
  device_.synchronize();
}

void DeviceLlama::load_fusion(const DecoderWeights& weights) {
  const std::int64_t columns = config_.hidden_size + config_.feature_size;
  embedding_norm_ = on_device<float>(weights.read(TensorRole::embedding_norm, 0));
  feature_norm_ = on_device<float>(weights.read(TensorRole::feature_norm, 0));
  fusion_ = load_table(weights, TensorRole::fusion, columns);
  fused_ = rows_of<std::uint16_t>(columns);
}

void DeviceLlama::load_rotations() {
  std::vector<float> turns;
  const bool changes = config_.rotary_scaling.kind == RotaryScaling::Kind::dynamic;
  RotaryFrequencies frequencies = rotary_frequencies(config_, RotaryBase::global, 0);
  for (std::int32_t position = 0; position < config_.context_length; ++position) {
    if (changes) frequencies = rotary_frequencies(config_, RotaryBase::global, position);
    for (const double step : frequencies.per_position) {
      turns.push_back(static_cast<float>(frequencies.magnitude * std::cos(position * step)));
      turns.push_back(static_cast<float>(frequencies.magnitude * std::sin(position * step)));
    }
  }
  rotations_ = on_device<float>(turns);
}

void DeviceLlama::load_draft_vocabulary() {
  draft_logits_ = rows_of<float>(config_.num_logits());
  draft_tokens_ = on_device<std::int32_t>(config_.draft_vocabulary);
  draft_rows_ =
      on_device<std::int32_t>(rows_of_tokens(config_.draft_vocabulary, config_.vocab_size, -1));
}

std::int32_t DeviceLlama::head_blocks() const {
  return (config_.num_logits() + kTileRows - 1) / kTileRows;
}

std::int64_t DeviceLlama::weight_bytes() const {
  const std::size_t head = config_.head_is_embedding() ? embedding_.size() : head_.size();
  return static_cast<std::int64_t>(head + fusion_.size()) * 2 + config_.num_layers * block_.bytes();
}

ResidualStream DeviceLlama::stream(const DeviceArray<float>& gain) const {
  return {residual_.data(), gained_.data(), partials_.data(), gain.data(), config_.hidden_size};
}

ProductArguments DeviceLlama::arguments(std::size_t elements, const std::uint16_t* input,
                                        std::int64_t columns, bool is_scaled) const {
  ProductArguments a{};
  a.input = input;
  a.partials = is_scaled ? partials_.data() : nullptr;
  a.num_partials = config_.hidden_size / kTileRows;
  a.columns = static_cast<std::int32_t>(columns);
  a.blocks = static_cast<std::int32_t>(static_cast<std::int64_t>(elements) / columns / kTileRows);
  a.inverse_size = 1.0f / static_cast<float>(config_.counting_width());
  a.epsilon = config_.norm_epsilon;
  return a;
}

ProductArguments DeviceLlama::head_arguments(const ForwardState* state) const {
  const DeviceArray<std::uint16_t>& table = config_.head_is_embedding() ? embedding_ : head_;
  ProductArguments a = arguments(table.size(), gained_.data(), config_.hidden_size, true);
  a.weights = table.data();
  a.num_rows = &state->num_wanting;
  a.gather = state->wanting;
  return a;
}

void DeviceLlama::make_plans() {
  const auto product = [this](const LayerBlock::Matrix& matrix, const auto& input,
                              std::int64_t columns, bool is_scaled) {
    return arguments(static_cast<std::size_t>(matrix.elements), input.data(), columns, is_scaled);
  };
  for (std::size_t l = 0; l < layers_.size(); ++l)
    plans_.push_back(
        {layers_[l].matrices.data(),
         product(block_.query_key_value, gained_, config_.hidden_size, true),
         product(block_.attention_output, attended_, config_.query_size(), false),
         product(block_.gate_up, gained_, config_.hidden_size, true),
         product(block_.down, inner_, config_.intermediate_size, false),
         layers_[l].query_key_value_bias.data(), stream(layers_[l].feed_forward_norm),
         stream(l + 1 < layers_.size() ? layers_[l + 1].attention_norm : output_norm_)});
  std::int64_t place = 0;
  for (const std::int32_t l : config_.state_layers())
    plans_[static_cast<std::size_t>(l)].kept_from = ++place * kMaxRows * config_.hidden_size;
}

void DeviceLlama::put_pass(const ForwardState* state, const KvCacheCuda& cache,
                           const PassShape& shape, const PassStates& states) const {
  const Pass pass{state, cache, shape, states};
  if (stream_) stream_->begin(device_.context());
  if (pass.keeps(embed_kernel)) put_embeddings(pass);
  for (std::size_t l = 0; l < layers_.size(); ++l) put_layer(l, pass);
  if (shape.wanting > 0 && pass.keeps(head_kernel)) put_head(state, shape);
}

void DeviceLlama::put_embeddings(const Pass& pass) const {
  if (config_.is_feature_transformer()) return put_fusion(pass);
  launch_embed(pass.state, embedding_.data(), stream(layers_.front().attention_norm),
               pass.shape.rows, device_.context());
}

/// One product fuses a row's embedding and all states beside it.
void DeviceLlama::put_fusion(const Pass& pass) const {
  FusionInputs inputs{
      embedding_.data(),   embedding_norm_.data(), feature_norm_.data(), {},
      fused_.data(),       residual_.data(),       config_.hidden_size,  num_features(config_),
      config_.norm_epsilon};
  std::ranges::copy(pass.states.read, inputs.states);
  launch_fuse_inputs(pass.state, inputs, pass.shape.rows, device_.context());
  ProductArguments product =
      arguments(fusion_.size(), fused_.data(), config_.hidden_size + config_.feature_size, false);
  product.weights = fusion_.data();
  product.num_rows = &pass.state->num_rows;
  launch_add_to_residual(product, stream(layers_.front().attention_norm), pass.shape.rows,
                         device_.context());
}

void DeviceLlama::put_layer(std::size_t l, const Pass& pass) const {
  const auto& [state, cache, shape, states] = pass;
  const LayerPlan& plan = plans_[l];
  const LaunchContext& context = device_.context();
  LaunchContext first_context = context;
  const std::size_t streamed = l - static_cast<std::size_t>(resident_.count);
  const std::uint16_t* block = plan.block;
  if (plan.is_streamed()) {
    block = stream_->take(streamed, context);
    first_context.has_overlapping_starts = false;
  }
  const auto product = [block, rows = &state->num_rows](ProductArguments a,
                                                        const LayerBlock::Matrix& matrix) {
    a.weights = block + matrix.first;
    a.num_rows = rows;
    return a;
  };
  AttentionBuffers attention = cache.buffers(static_cast<std::int32_t>(l));
  attention.queries = queries_.data(), attention.output = attended_.data();
  attention.rotations = reinterpret_cast<const float2*>(rotations_.data());
  attention.bias = plan.bias;
  ResidualStream behind = plan.behind;
  if (shape.keeps_streams && plan.kept_from > 0) behind.kept = states.kept + plan.kept_from;
  if (pass.keeps(query_key_value_kernel))
    launch_query_key_value(state, product(plan.query_key_value, block_.query_key_value), attention,
                           shape.rows, first_context);
  if (pass.keeps(attention_kernel)) launch_attention(state, attention, shape, context);
  if (pass.keeps(attention_output_kernel))
    launch_add_to_residual(product(plan.attention_output, block_.attention_output), plan.between,
                           shape.rows, context);
  if (pass.keeps(gate_up_kernel))
    launch_gated_silu(product(plan.gate_up, block_.gate_up), inner_.data(), shape.rows, context);
  if (pass.keeps(down_kernel))
    launch_add_to_residual(product(plan.down, block_.down), behind, shape.rows, context);
  if (plan.is_streamed()) stream_->give_back(streamed, context);
}

void DeviceLlama::put_head(const ForwardState* state, const PassShape& shape) const {
  const LaunchContext& context = device_.context();
  const bool is_whole = config_.draft_vocabulary.empty();
  launch_head(head_arguments(state), is_whole ? logits_.data() : draft_logits_.data(), best_.data(),
              config_.num_logits(), shape.wanting, context);
  if (is_whole || !shape.spreads_logits) return;
  launch_spread_logits(&state->num_wanting, draft_logits(), logits_.data(), best_.data(),
                       head_blocks(), shape.wanting, context);
}

void DeviceLlama::put_hidden_states(const ForwardState* state, int wanting, float* hidden) const {
  launch_hidden_states(head_arguments(state), stream(output_norm_), hidden, wanting,
                       device_.context());
}

}  // namespace speclab::engines::cuda
