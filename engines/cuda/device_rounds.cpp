#include "engines/cuda/device_rounds.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

#include "engines/cuda/cuda_errors.h"
#include "engines/cuda/kernels/rounds.h"
#include "sim/system/errors.h"

namespace speclab::engines::cuda {
namespace {

/// Room for laws over the vocabulary; none where nothing reads them.
DeviceArray<float> room_for_laws(bool is_needed, std::int32_t laws, const DeviceLlama& model) {
  return is_needed ? DeviceArray<float>(static_cast<std::size_t>(laws) *
                                        static_cast<std::size_t>(model.config().vocab_size))
                   : DeviceArray<float>();
}

PassOutput output_of(const DeviceLlama& model) {
  const DraftLogits draft = model.draft_logits();
  if (draft.logits == nullptr) return {model.logits(), model.best(), model.head_blocks()};
  return {draft.logits, model.best(), model.head_blocks(), draft.tokens, draft.rows, draft.size};
}

/// @param slots  upper bound of those in use
PassShape pass_shape(std::int32_t rows, const KvCacheCuda& cache, std::int32_t slots) {
  return {rows, rows, 1, rows, cache.splits_for(slots)};
}

/// The first pass of a draft, of which only the last row may want logits.
PassShape first_pass_shape(std::int32_t rows, bool wants_logits, const KvCacheCuda& cache,
                           std::int32_t slots) {
  return {rows, wants_logits ? 1 : 0, 1, rows, cache.splits_for(slots)};
}

/// Room for as many places of states.
DeviceArray<float> room_for_states(std::int32_t places, const DeviceLlama& model) {
  if (places == 0) return {};
  return zeros_on_device<float>(static_cast<std::size_t>(places * kMaxRows) *
                                static_cast<std::size_t>(model.config().hidden_size));
}

/// Tokens of a path of the longest draft, or of a host's drafts all that a pass holds.
std::int32_t longest_draft(bool drafts, const DeviceRoundOptions& options) {
  if (options.drafts_on_host) return kMaxDraftLength;
  if (!drafts) return 0;
  return options.shape.num_nodes() > 0 ? options.shape.depth() : kMaxDraftLength;
}

/// None where the host brings its trees, or chains are drafted from laws that are mixed with
/// nothing.
std::optional<TreePlan> plan_of(bool drafts, const DeviceRoundOptions& options) {
  if (options.drafts_on_host || !drafts) return std::nullopt;
  if (options.shape.depth() < options.shape.num_nodes()) return TreePlan(options.shape);
  if (!options.mixes_copies) return std::nullopt;
  return TreePlan(TreeShape::chain(longest_draft(drafts, options)));
}

/// Graphs of sizes that differ from round to round are captured for few of them: eight rows cost
/// what one costs.
std::int32_t captured_rows(std::int32_t rows) {
  return std::max(8, static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(rows))));
}

}  // namespace

TreePlan::TreePlan(const TreeShape& shape)
    : nodes_(static_cast<std::size_t>(shape.depth()) + 1), parents_(nodes_.size()) {
  SPECLAB_EXPECT(shape.num_nodes() <= kMaxDraftLength, "a tree on the device has at most 63 nodes");
  for (int node = shape.num_nodes(); node > 0; --node) {
    const auto parent =
        static_cast<std::size_t>(shape.parents()[static_cast<std::size_t>(node - 1)]);
    shape_.first_child[parent] = static_cast<std::uint8_t>(node);
    ++shape_.num_children[parent];
  }
  std::vector<std::size_t> level_of{0};
  for (const int parent : shape.parents())
    level_of.push_back(level_of[static_cast<std::size_t>(parent)] + 1);
  for (std::size_t node = 0; node < level_of.size(); ++node) {
    const bool has_children = shape_.num_children[node] > 0;
    ++nodes_[level_of[node]];
    parents_[level_of[node]] += has_children;
    shape_.parents_before[node + 1] =
        static_cast<std::uint8_t>(shape_.parents_before[node] + has_children);
  }
}

std::int32_t TreePlan::nodes_to(std::int32_t level) const {
  return std::accumulate(nodes_.begin(), nodes_.begin() + level + 1, 0);
}

DeviceRounds::DeviceRounds(const DeviceLlama& target, const DeviceLlama* draft,
                           const DeviceRoundOptions& options)
    : target_(target),
      draft_(draft),
      tree_(plan_of(draft != nullptr, options)),
      drafts_on_host_(options.drafts_on_host),
      mixes_copies_(options.mixes_copies),
      num_features_(draft ? num_features(draft->config()) : 0),
      max_length_(longest_draft(draft != nullptr, options)),
      inverse_temperature_(options.temperature > 0 ? static_cast<float>(1.0 / options.temperature)
                                                   : 0.0f),
      seed_(options.seed),
      state_(zeros_on_device<RoundState>(1)),
      target_state_(zeros_on_device<ForwardState>(1)),
      draft_state_(zeros_on_device<ForwardState>(1)),
      target_exponentials_(room_for_laws(options.temperature > 0, max_rows(), target)),
      draft_exponentials_(room_for_laws(options.temperature > 0 || tree_, max_rows() - 1, target)),
      remainder_(room_for_laws(options.temperature > 0 && (tree_ || drafts_on_host_), 1, target)),
      target_sums_(static_cast<std::size_t>(max_rows())),
      draft_sums_(target_sums_.size()),
      target_states_(room_for_states(num_features_, target)),
      draft_states_(room_for_states(num_features_ > 0 ? 1 : 0, target)),
      result_(1) {
  SPECLAB_EXPECT(!draft || &draft->device() == &target.device(),
                 "a graph has one stream, so target and drafter share a device");
  SPECLAB_EXPECT(max_length_ <= kMaxDraftLength, "a draft on the device has at most 63 tokens");
  *result_.data() = {};
}

void DeviceRounds::begin(const CachedModel& target, const CachedModel& draft,
                         const RoundSequence& sequence) {
  const std::span<const Token> tokens = sequence.tokens;
  in_target_ = target;
  in_draft_ = draft;
  RoundState state{};
  state.length = static_cast<std::int32_t>(tokens.size());
  state.pending = tokens.back();
  state.previous = tokens.size() > 1 ? tokens[tokens.size() - 2] : tokens.back();
  state.target_slot = target.slot;
  state.draft_slot = draft.slot;
  state.draft_shift = num_features_ > 0 ? 1 : 0;
  state.moves.first = state.length;
  state.sequence = sequence.id;
  state.serial = serial_;
  state.forced = *forced_.data() = -1;
  state.seed = seed_;
  state.inverse_temperature = inverse_temperature_;
  state.tree.level_begins[1] = 1;
  state.tree.ancestors[0] = 1;
  copy_to_device(state_.data(), &state, sizeof state);
  tokens_ = state.length;
  path_ = 0;
  const auto hidden = static_cast<std::size_t>(target_.config().hidden_size);
  for (std::size_t place = 0; place * hidden < sequence.last_state.size(); ++place)
    copy_to_device(target_states_.data() + place * kMaxRows * hidden,
                   sequence.last_state.data() + place * hidden, hidden * sizeof(float));
}

void DeviceRounds::put_begin(const Extent& extent) {
  (extent.path_rows > 0 ? launch_begin_feature_round : launch_begin_round)(
      state_.data(), draft_state_.data(), mixes_copies_ ? host_draft_.data() : nullptr,
      target_.device().context());
  if (extent.path_rows > 0 && extent.length == 0) put_draft_pass(extent, 0, 0);
}

/// The first pass reads the target's states, each later one the drafter's own of the pass before,
/// and zeros in place of the other states.
PassStates DeviceRounds::states_for_draft(std::int32_t level) const {
  PassStates states;
  states.read[0] = draft_states_.data();
  const std::int64_t stride = std::int64_t{kMaxRows} * target_.config().hidden_size;
  if (level == 0)
    for (std::int32_t place = 0; place < num_features_; ++place)
      states.read[place] = target_states_.data() + place * stride;
  return states;
}

void DeviceRounds::put_draft_pass(const Extent& extent, std::int32_t level, std::int32_t rows) {
  const KvCacheCuda& cache = *in_draft_.cache;
  const bool is_first = level == 0;
  PassShape shape = is_first ? first_pass_shape(num_features_ > 0 ? extent.path_rows : 2,
                                                extent.length > 0, cache, extent.slots)
                             : pass_shape(rows, cache, extent.slots);
  shape.spreads_logits = false;
  draft_->put_pass(draft_state_.data(), cache, shape, states_for_draft(level));
  if (num_features_ > 0 && level + 1 < extent.length)
    draft_->put_hidden_states(draft_state_.data(), is_first ? 1 : rows, draft_states_.data());
}

void DeviceRounds::put_target_pass(const Extent& extent) {
  PassShape shape = pass_shape(extent.rows, *in_target_.cache, extent.slots);
  shape.keeps_streams = num_features_ > 1;
  shape.spreads_logits = false;
  target_.put_pass(target_state_.data(), *in_target_.cache, shape, {.kept = target_states_.data()});
  if (num_features_ > 0)
    target_.put_hidden_states(target_state_.data(), extent.rows, target_states_.data());
}

void DeviceRounds::put_chain(const Extent& extent) {
  const LaunchContext& context = target_.device().context();
  put_begin(extent);
  for (std::int32_t i = 0; i < extent.length; ++i) {
    put_draft_pass(extent, i, 1);
    launch_choose_draft(state_.data(), draft_state_.data(), i, output_of(*draft_), draft_laws(),
                        context);
  }
}

void DeviceRounds::put_chain_round(const Extent& extent) {
  const LaunchContext& context = target_.device().context();
  const std::int32_t length = extent.length;
  put_chain(extent);
  launch_begin_verification(state_.data(), target_state_.data(), length, context);
  put_target_pass(extent);
  launch_target_laws(state_.data(), length + 1, output_of(target_), target_laws(), context);
  launch_verify(state_.data(), length, draft_laws(), target_laws(), result_.data(), context);
}

void DeviceRounds::put_tree(const Extent& extent) {
  const LaunchContext& context = target_.device().context();
  put_begin(extent);
  for (std::int32_t i = 0; i < extent.length; ++i) {
    const TreeLevel level{tree_->shape(), i, tree_->nodes_on(i)};
    put_draft_pass(extent, i, tree_->parents_on(i));
    launch_level_laws(state_.data(), level, output_of(*draft_), draft_laws(), context);
    launch_add_children(state_.data(), draft_state_.data(), level, draft_laws(), context);
  }
}

void DeviceRounds::put_tree_round(const Extent& extent) {
  const LaunchContext& context = target_.device().context();
  put_tree(extent);
  put_tree_pass(extent, extent.length);
  for (const CachedModel& in : {in_target_, in_draft_})
    if (in.model == &target_ || num_features_ == 0)  // states of the target replace those drafts
      launch_move_slots(in.cache->cached(in.slot), &state_.data()->moves, extent.length, context);
  launch_tell_host(state_.data(), result_.data(), context);
}

void DeviceRounds::put_tree_pass(const Extent& extent, int levels) {
  const LaunchContext& context = target_.device().context();
  launch_begin_tree_verification(state_.data(), target_state_.data(), levels, context);
  put_target_pass(extent);
  launch_target_laws(state_.data(), extent.rows, output_of(target_), target_laws(), context);
  launch_verify_tree(state_.data(), {draft_laws(), target_laws(), remainder_.data()}, context);
}

void DeviceRounds::put_hosts_round(const Extent& extent, bool is_chain) {
  const LaunchContext& context = target_.device().context();
  launch_take_draft(state_.data(), host_draft_.data(), draft_laws(), extent.rows, context);
  put_tree_pass(extent, kWholeTree);
  if (!is_chain)
    launch_move_slots(in_target_.cache->cached(in_target_.slot), &state_.data()->moves,
                      extent.rows - 1, context);
  launch_tell_host(state_.data(), result_.data(), context);
}

void DeviceRounds::put_round(const Extent& extent, bool is_chain) {
  if (extent.rows == 1) return put_chain_round(extent);
  if (drafts_on_host_) return put_hosts_round(extent, is_chain);
  tree_ ? put_tree_round(extent) : put_chain_round(extent);
}

const Graph& DeviceRounds::graph(const DraftSize& size) {
  SPECLAB_EXPECT(size.levels >= 0 && size.levels <= max_length_,
                 "a draft longer than the rounds were made for");
  const bool has_hosts_draft = drafts_on_host_ && size.levels > 0;
  const std::int32_t rows = has_hosts_draft ? captured_rows(size.rows) : size.rows;
  const Extent extent{size.levels, rows, tokens_ - 1 + rows,
                      reads_path() ? captured_rows(path_ + 1) : 0};
  in_target_.cache->make_room(pass_shape(max_rows(), *in_target_.cache, extent.slots));
  if (draft_)
    in_draft_.cache->make_room(
        pass_shape(kMaxRows, *in_draft_.cache,
                   extent.slots));  // also when it reads many tokens, so that its buffers stay
  const std::array<std::uint64_t, 2> generations{in_target_.cache->generation(),
                                                 draft_ ? in_draft_.cache->generation() : 0};
  if (std::exchange(generations_, generations) != generations) graphs_.clear();
  const std::int32_t kind = !has_hosts_draft ? size.levels : size.is_chain() ? 0 : -1;
  const std::array<std::int32_t, 5> key{kind, rows, extent.path_rows,
                                        in_target_.cache->splits_for(extent.slots),
                                        draft_ ? in_draft_.cache->splits_for(extent.slots) : 0};
  const auto found = graphs_.find(key);
  if (found != graphs_.end()) return found->second;
  return graphs_
      .emplace(key, Graph(target_.device().context(), [&] { put_round(extent, size.is_chain()); }))
      .first->second;
}

void DeviceRounds::wait_for(std::uint32_t serial) const {
  const std::atomic_ref<std::uint32_t> written(result_.data()->serial);
  for (std::uint32_t polls = 1; written.load(std::memory_order_acquire) != serial; ++polls) {
    if (polls % (1u << 20) != 0 || target_.device().is_busy()) continue;
    if (written.load(std::memory_order_acquire) != serial)
      throw DeviceError("CUDA: a round ended without its result");
  }
  if (result_.data()->is_damaged)
    throw ModelFileError(target_.config().name +
                         " or its drafter: logits are not finite on the device; its weights are "
                         "damaged or its arithmetic overflowed");
}

/// The stream takes the count to the state before the next round, so that no round reads pinned
/// memory for it.
void DeviceRounds::force(std::int32_t accepted) {
  if (std::exchange(*forced_.data(), accepted) == accepted) return;
  check(cudaMemcpyAsync(&state_.data()->forced, forced_.data(), sizeof accepted,
                        cudaMemcpyHostToDevice, target_.device().context().stream),
        "copying a forced count");
}

const RoundResult& DeviceRounds::run(const DraftSize& size, std::int32_t forced) {
  force(forced);
  graph(size).launch(target_.device().context());
  wait_for(++serial_);
  path_ = result_.data()->outcome.accepted;
  tokens_ += path_ + 1;
  return *result_.data();
}

}  // namespace speclab::engines::cuda
