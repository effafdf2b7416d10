#include "engines/cuda/llama_cuda.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>

#include "engines/cuda/cuda_errors.h"
#include "engines/cuda/kv_cache_cuda.h"
#include "sim/system/errors.h"

namespace speclab::engines::cuda {
namespace {

/// Graphs are captured for few sizes: eight rows cost what one costs.
std::int32_t bucket(std::int32_t value, std::int32_t least) {
  return value == 0 ? 0
                    : std::max(least, static_cast<std::int32_t>(
                                          std::bit_ceil(static_cast<std::uint32_t>(value))));
}

/// Slots beside the prefix as bits from `base` on.
std::uint64_t extra_bits(const RowPlan& plan, const PlacedRow& row, std::int32_t base) {
  std::uint64_t bits = 0;
  for (const std::int32_t slot : plan.extra(row)) {
    SPECLAB_EXPECT(slot >= base && slot - base < 64,
                   "on a CUDA device a token tree has at most 64 rows");
    bits |= std::uint64_t{1} << (slot - base);
  }
  return bits;
}

bool wants_hidden(std::span<const ForwardRow> rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const ForwardRow& row) { return row.wants_hidden; });
}

}  // namespace

LlamaCuda::LlamaCuda(const DecoderShape& config, const DecoderWeights& weights,
                     std::shared_ptr<const Device> device,
                     std::optional<std::int64_t> resident_bytes)
    : device_(std::move(device)),
      llama_(config, weights, *device_, resident_bytes),
      state_(1),
      device_state_(zeros_on_device<ForwardState>(1)),
      pinned_logits_(static_cast<std::size_t>(kMaxRows) *
                     static_cast<std::size_t>(config.vocab_size)),
      states_(static_cast<std::size_t>(kMaxRows) * static_cast<std::size_t>(config.hidden_size) *
              (1 + config.state_layers().size())),
      pinned_states_(states_.size()) {
  if (config.is_feature_transformer()) {
    features_ = DeviceArray<float>(static_cast<std::size_t>(kMaxRows) *
                                   static_cast<std::size_t>(config.feature_size));
    pinned_features_ = PinnedArray<float>(features_.size());
  }
  info_ = {.name = config.name,
           .family = "llama",
           .dtype = "bfloat16",
           .device = "cuda",
           .kernels = llama_.resident_layers().kernels(device_->name(), config),
           .sha256 = weights.sha256(),
           .config_sha256 = config.config_sha256,
           .vocab_size = config.vocab_size,
           .context_length = config.context_length,
           .num_layers = config.num_layers,
           .hidden_size = config.hidden_size,
           .num_parameters = config.num_parameters(),
           .weight_bytes = llama_.weight_bytes(),
           .cache_bytes_per_token = KvCacheCuda::bytes_per_token(config)};
  info_.num_state_layers = static_cast<std::int32_t>(config.state_layers().size());
  info_.feature_size = config.feature_size;
  info_.random_weights = weights.are_random();
  info_.state_width = config.state_width;
  info_.widened_from = config.widened_from;
  info_.streamed_bytes = llama_.resident_layers().streamed_bytes;
}

std::unique_ptr<KvCache> LlamaCuda::make_cache(std::int32_t max_sequences, std::int32_t capacity) {
  return std::make_unique<KvCacheCuda>(llama_.config(), *device_, max_sequences, capacity);
}

PassShape LlamaCuda::fill_state(std::span<const ForwardRow> rows, std::size_t begin,
                                std::size_t end, KvCacheCuda& cache) {
  const RowPlan& plan = cache.plan();
  ForwardState& state = *state_.data();
  state.num_rows = state.num_wanting = state.num_groups = 0;
  std::int32_t longest = 0, last = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const PlacedRow& placed = plan.rows()[i];
    const std::int32_t base = plan.length(placed.sequence), row = state.num_rows++;
    state.rows[row] = {rows[i].token,
                       rows[i].position,
                       placed.sequence,
                       placed.slot,
                       placed.prefix,
                       base,
                       extra_bits(plan, placed, base)};
    if (rows[i].feature != nullptr) take_feature(rows[i].feature, row);
    if (rows[i].wants_logits || rows[i].wants_hidden) state.wanting[state.num_wanting++] = row;
    if (row == 0 || state.rows[row - 1].sequence != placed.sequence)
      state.groups[state.num_groups++] = {row, 0, placed.sequence, 0, base};
    DeviceGroup& group = state.groups[state.num_groups - 1];
    ++group.count;
    group.end = std::max(group.end, placed.slot + 1);
    longest = std::max(longest, group.count);
    last = std::max(last, group.end);
  }
  return {bucket(state.num_rows, 8),   bucket(state.num_wanting, 8),
          bucket(state.num_groups, 1), bucket(longest, 8),
          cache.splits_for(last),      wants_hidden(rows.subspan(begin, end - begin))};
}

void LlamaCuda::run_pass(KvCacheCuda& cache, const PassShape& shape) {
  cache.make_room(shape);
  const KvCacheCuda::GraphKey key{shape.rows,           shape.wanting, shape.groups,
                                  shape.rows_per_group, shape.splits,  shape.keeps_streams};
  auto found = cache.graphs().find(key);
  if (found == cache.graphs().end()) {
    found = cache.graphs()
                .emplace(key,
                         Graph(device_->context(),
                               [&] {
                                 check(cudaMemcpyAsync(device_state_.data(), state_.data(),
                                                       sizeof(ForwardState), cudaMemcpyHostToDevice,
                                                       device_->context().stream),
                                       "copying rows");
                                 put_pass(cache, shape);
                               }))
                .first;
  }
  found->second.launch(device_->context());
}

void LlamaCuda::put_pass(const KvCacheCuda& cache, const PassShape& shape) {
  PassStates states{.kept = states_.data()};
  for (std::int32_t place = 0; place < num_features(llama_.config()); ++place)
    states.read[place] = features_.data() + std::int64_t{place} * kMaxRows * info_.hidden_size;
  put_features(shape.rows);
  llama_.put_pass(device_state_.data(), cache, shape, states);
}

void LlamaCuda::put_features(std::int32_t rows) {
  const std::int64_t stride = std::int64_t{kMaxRows} * info_.hidden_size;
  for (std::int64_t place = 0; place < num_features(llama_.config()); ++place)
    check(
        cudaMemcpyAsync(features_.data() + place * stride, pinned_features_.data() + place * stride,
                        static_cast<std::size_t>(rows * info_.hidden_size) * sizeof(float),
                        cudaMemcpyHostToDevice, device_->context().stream),
        "copying features");
}

/// Its states, one behind the other, become the row's in each place.
void LlamaCuda::take_feature(const float* feature, std::int32_t row) {
  state_.data()->states[row] = row;
  for (std::int64_t place = 0; place < num_features(llama_.config()); ++place)
    std::copy_n(feature + place * info_.hidden_size, info_.hidden_size,
                pinned_features_.data() + (place * kMaxRows + row) * info_.hidden_size);
}

ForwardResult LlamaCuda::forward(std::span<const ForwardRow> rows, KvCache& cache) {
  SPECLAB_EXPECT(!rows.empty(), "a forward has at least one row");
  auto* own_cache = dynamic_cast<KvCacheCuda*>(&cache);
  SPECLAB_EXPECT(own_cache != nullptr, "the cache belongs to another kind of model");
  own_cache->plan().place(rows, {llama_.config().vocab_size, llama_.config().context_length,
                                 llama_.config().is_feature_transformer()});
  logits_.clear();
  hidden_.clear();
  const bool one_pass = rows.size() <= kMaxRows;
  for (std::size_t begin = 0; begin < rows.size(); begin += kMaxRows) {
    const std::size_t end = std::min(rows.size(), begin + kMaxRows);
    run_pass(*own_cache, fill_state(rows, begin, end, *own_cache));
    copy_outputs(rows.subspan(begin, end - begin));
    if (one_pass) continue;
    logits_.insert(logits_.end(), logits_span_.begin(), logits_span_.end());
  }
  return {.logits = one_pass ? logits_span_ : logits_,
          .vocab_size = llama_.config().vocab_size,
          .hidden = hidden_,
          .state_size = info_.state_size()};
}

/// Rows that want only one of both are brought too and left out here.
void LlamaCuda::copy_outputs(std::span<const ForwardRow> rows) {
  const auto vocab = static_cast<std::size_t>(llama_.config().vocab_size);
  const std::int32_t wanting = state_.data()->num_wanting;
  const bool wants_logits =
      std::any_of(rows.begin(), rows.end(), [](const ForwardRow& row) { return row.wants_logits; });
  if (wants_logits)
    bring(llama_.logits(), pinned_logits_.data(), static_cast<std::size_t>(wanting) * vocab);
  if (wants_hidden(rows)) bring_states(wanting);
  device_->synchronize();
  std::size_t logit_rows = 0;
  std::int32_t brought = 0;
  for (const ForwardRow& row : rows) {
    if (!row.wants_logits && !row.wants_hidden) continue;
    const float* logits = pinned_logits_.data() + static_cast<std::size_t>(brought) * vocab;
    if (row.wants_logits && logits != pinned_logits_.data() + logit_rows++ * vocab)
      std::copy_n(logits, vocab, pinned_logits_.data() + (logit_rows - 1) * vocab);
    if (row.wants_hidden) append_states(brought);
    ++brought;
  }
  logits_span_ = {pinned_logits_.data(), logit_rows * vocab};
}

void LlamaCuda::bring(const float* from, float* to, std::size_t count) {
  check(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToHost,
                        device_->context().stream),
        "copying what a pass gave");
}

/// The last states of the rows that want anything, and the streams of all rows.
void LlamaCuda::bring_states(std::int32_t wanting) {
  const auto hidden = static_cast<std::size_t>(info_.hidden_size);
  llama_.put_hidden_states(device_state_.data(), wanting, states_.data());
  for (std::int32_t place = 0; place <= info_.num_state_layers; ++place) {
    const auto rows = static_cast<std::size_t>(place == 0 ? wanting : state_.data()->num_rows);
    bring(states_.data() + (states_of(place, 0) - pinned_states_.data()), states_of(place, 0),
          rows * hidden);
  }
}

/// Of the row that is number `brought` of those that want anything.
void LlamaCuda::append_states(std::int32_t brought) {
  const auto append = [&](const float* state) {
    hidden_.insert(hidden_.end(), state, state + info_.last_state_size());
  };
  append(states_of(0, brought));
  for (std::int32_t place = 1; place <= info_.num_state_layers; ++place)
    append(states_of(place, state_.data()->wanting[brought]));
}

float* LlamaCuda::states_of(std::int32_t place, std::int32_t row) {
  return pinned_states_.data() + (std::int64_t{place} * kMaxRows + row) * info_.hidden_size;
}

}  // namespace speclab::engines::cuda
