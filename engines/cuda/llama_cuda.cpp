#include "engines/cuda/llama_cuda.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>

#include "engines/cuda/cuda_errors.h"
#include "engines/cuda/kv_cache_cuda.h"
#include "sim/core/errors.h"

namespace speclab::engines::cuda {
namespace {

/// Graphs are captured for few sizes: eight rows cost what one costs.
std::int32_t bucket(std::int32_t value, std::int32_t least) {
  return value == 0 ? 0 : std::max(least, static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(value))));
}

/// Slots beside the prefix as bits from `base` on.
std::uint64_t extra_bits(const RowPlan& plan, const PlacedRow& row, std::int32_t base) {
  std::uint64_t bits = 0;
  for (const std::int32_t slot : plan.extra(row)) {
    SPECLAB_EXPECT(slot >= base && slot - base < 64, "on a CUDA device a token tree has at most 64 rows");
    bits |= std::uint64_t{1} << (slot - base);
  }
  return bits;
}

}  // namespace

LlamaCuda::LlamaCuda(const LlamaConfig& config, const LlamaWeights& weights, std::shared_ptr<const Device> device)
    : device_(std::move(device)), llama_(config, weights, *device_), state_(1), device_state_(zeros_on_device<ForwardState>(1)),
      pinned_logits_(static_cast<std::size_t>(kMaxRows) * static_cast<std::size_t>(config.num_logits())),
      pinned_hidden_(static_cast<std::size_t>(kMaxRows) * static_cast<std::size_t>(config.hidden_size)) {
  info_ = {.name = config.name, .family = "llama", .dtype = "bfloat16", .device = "cuda", .kernels = "speclab, " + device_->name(), .sha256 = weights.sha256(),
           .vocab_size = config.vocab_size, .context_length = config.context_length, .num_layers = config.num_layers, .hidden_size = config.hidden_size,
           .num_parameters = config.num_parameters(), .weight_bytes = llama_.weight_bytes()};
  info_.random_weights = weights.are_random();
}

std::unique_ptr<KvCache> LlamaCuda::make_cache(std::int32_t max_sequences, std::int32_t capacity) {
  return std::make_unique<KvCacheCuda>(llama_.config(), *device_, max_sequences, capacity);
}

PassShape LlamaCuda::fill_state(std::span<const ForwardRow> rows, std::size_t begin, std::size_t end, const RowPlan& plan) {
  ForwardState& state = *state_.data();
  state.num_rows = state.num_wanting = state.num_groups = 0;
  std::int32_t longest = 0, last = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const PlacedRow& placed = plan.rows()[i];
    const std::int32_t base = plan.length(placed.sequence), row = state.num_rows++;
    state.rows[row] = {rows[i].token, rows[i].position, placed.sequence, placed.slot, placed.prefix, base, extra_bits(plan, placed, base)};
    if (rows[i].wants_logits || rows[i].wants_hidden) state.wanting[state.num_wanting++] = row;
    if (row == 0 || state.rows[row - 1].sequence != placed.sequence) state.groups[state.num_groups++] = {row, 0, placed.sequence, 0, base};
    DeviceGroup& group = state.groups[state.num_groups - 1];
    ++group.count;
    group.end = std::max(group.end, placed.slot + 1);
    longest = std::max(longest, group.count);
    last = std::max(last, group.end);
  }
  return {bucket(state.num_rows, 8), bucket(state.num_wanting, 8), bucket(state.num_groups, 1), bucket(longest, 8),
          bucket((last + kKeysPerSplit - 1) / kKeysPerSplit, 2)};
}

void LlamaCuda::run_pass(KvCacheCuda& cache, PassShape shape) {
  shape.splits = std::min(shape.splits, cache.max_splits());
  cache.make_room(shape);
  const KvCacheCuda::GraphKey key{shape.rows, shape.wanting, shape.groups, shape.rows_per_group, shape.splits};
  auto found = cache.graphs().find(key);
  if (found == cache.graphs().end()) {
    found = cache.graphs().emplace(key, Graph(device_->context(), [&] {
      check(cudaMemcpyAsync(device_state_.data(), state_.data(), sizeof(ForwardState), cudaMemcpyHostToDevice, device_->context().stream), "copying rows");
      llama_.put_pass(device_state_.data(), cache, shape);
    })).first;
  }
  found->second.launch(device_->context());
}

ForwardResult LlamaCuda::forward(std::span<const ForwardRow> rows, KvCache& cache) {
  SPECLAB_EXPECT(!rows.empty(), "a forward has at least one row");
  auto* own_cache = dynamic_cast<KvCacheCuda*>(&cache);
  SPECLAB_EXPECT(own_cache != nullptr, "the cache belongs to another kind of model");
  own_cache->plan().place(rows, {llama_.config().vocab_size, llama_.config().context_length, false});
  logits_.clear();
  hidden_.clear();
  const bool one_pass = rows.size() <= kMaxRows;
  for (std::size_t begin = 0; begin < rows.size(); begin += kMaxRows) {
    const std::size_t end = std::min(rows.size(), begin + kMaxRows);
    run_pass(*own_cache, fill_state(rows, begin, end, own_cache->plan()));
    copy_outputs(rows.subspan(begin, end - begin));
    if (one_pass) continue;
    logits_.insert(logits_.end(), logits_span_.begin(), logits_span_.end());
    hidden_.insert(hidden_.end(), hidden_span_.begin(), hidden_span_.end());
  }
  return {.logits = one_pass ? logits_span_ : logits_, .vocab_size = llama_.config().num_logits(),
          .hidden = one_pass ? hidden_span_ : hidden_, .hidden_size = llama_.config().hidden_size};
}

/// Rows that want only one of both are brought too and left out here.
void LlamaCuda::copy_outputs(std::span<const ForwardRow> rows) {
  const cudaStream_t stream = device_->context().stream;
  const auto vocab = static_cast<std::size_t>(llama_.config().num_logits()), size = static_cast<std::size_t>(llama_.config().hidden_size);
  const std::int32_t wanting = state_.data()->num_wanting;
  const bool wants_logits = std::any_of(rows.begin(), rows.end(), [](const ForwardRow& row) { return row.wants_logits; });
  const bool wants_hidden = std::any_of(rows.begin(), rows.end(), [](const ForwardRow& row) { return row.wants_hidden; });
  const auto count = static_cast<std::size_t>(wanting);
  if (wants_logits) check(cudaMemcpyAsync(pinned_logits_.data(), llama_.logits(), count * vocab * sizeof(float), cudaMemcpyDeviceToHost, stream), "copying logits");
  if (wants_hidden) {
    llama_.put_hidden_states(device_state_.data(), wanting);
    check(cudaMemcpyAsync(pinned_hidden_.data(), llama_.hidden(), count * size * sizeof(float), cudaMemcpyDeviceToHost, stream), "copying hidden states");
  }
  device_->synchronize();
  std::size_t logit_rows = 0, hidden_rows = 0, brought = 0;
  for (const ForwardRow& row : rows) {
    if (!row.wants_logits && !row.wants_hidden) continue;
    if (row.wants_logits && logit_rows++ != brought) std::copy_n(pinned_logits_.data() + brought * vocab, vocab, pinned_logits_.data() + (logit_rows - 1) * vocab);
    if (row.wants_hidden && hidden_rows++ != brought) std::copy_n(pinned_hidden_.data() + brought * size, size, pinned_hidden_.data() + (hidden_rows - 1) * size);
    ++brought;
  }
  logits_span_ = {pinned_logits_.data(), logit_rows * vocab};
  hidden_span_ = {pinned_hidden_.data(), hidden_rows * size};
}

}  // namespace speclab::engines::cuda
