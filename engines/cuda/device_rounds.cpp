#include "engines/cuda/device_rounds.h"

#include <array>
#include <atomic>
#include <utility>

#include "engines/cuda/kernels/rounds.h"
#include "sim/core/errors.h"

namespace speclab::engines::cuda {
namespace {

/// Laws are kept only where something is drawn.
std::size_t law_elements(std::int32_t laws, const DeviceLlama& model, double temperature) {
  return temperature > 0 ? static_cast<std::size_t>(laws) * static_cast<std::size_t>(model.config().num_logits()) : 1;
}

PassOutput output_of(const DeviceLlama& model) { return {model.logits(), model.best(), model.head_blocks()}; }

PassShape pass_shape(std::int32_t rows, const KvCacheCuda& cache) { return {rows, rows, 1, rows, cache.max_splits()}; }

}  // namespace

DeviceRounds::DeviceRounds(const DeviceLlama& target, const DeviceLlama* draft, std::int32_t max_length, double temperature, std::uint64_t seed)
    : target_(target), draft_(draft), max_length_(draft ? max_length : 0), inverse_temperature_(temperature > 0 ? static_cast<float>(1.0 / temperature) : 0.0f), seed_(seed),
      state_(zeros_on_device<RoundState>(1)), target_state_(zeros_on_device<ForwardState>(1)), draft_state_(zeros_on_device<ForwardState>(1)),
      target_exponentials_(law_elements(max_length_ + 1, target, temperature)), draft_exponentials_(law_elements(max_length_, target, temperature)),
      target_sums_(static_cast<std::size_t>(max_length_) + 1), draft_sums_(static_cast<std::size_t>(max_length_) + 1), result_(1), forced_(1) {
  SPECLAB_EXPECT(max_length_ <= kMaxDraftLength, "a draft on the device has at most 63 tokens");
  *result_.data() = {};
}

void DeviceRounds::begin(const CachedModel& target, const CachedModel& draft, std::uint32_t sequence, std::span<const Token> tokens) {
  in_target_ = target;
  in_draft_ = draft;
  RoundState state{};
  state.length = static_cast<std::int32_t>(tokens.size());
  state.pending = tokens.back();
  state.previous = tokens.size() > 1 ? tokens[tokens.size() - 2] : tokens.back();
  state.target_slot = target.slot;
  state.draft_slot = draft.slot;
  state.sequence = sequence;
  state.serial = serial_;
  state.seed = seed_;
  state.inverse_temperature = inverse_temperature_;
  copy_to_device(state_.data(), &state, sizeof state);
  target.cache->make_room(pass_shape(max_length_ + 1, *target.cache));
  if (draft_) draft.cache->make_room(pass_shape(kMaxRows, *draft.cache));  // also when it reads many tokens, so that its buffers stay
}

DeviceLaws DeviceRounds::laws(const DeviceArray<float>& exponentials, const DeviceArray<double>& sums) const {
  return {exponentials.data(), sums.data(), target_.config().num_logits()};
}

void DeviceRounds::put_draft(std::int32_t length) {
  const LaunchContext& context = target_.device().context();
  launch_begin_round(state_.data(), draft_state_.data(), context);
  for (std::int32_t i = 0; i < length; ++i) {
    draft_->put_pass(draft_state_.data(), *in_draft_.cache, {i == 0 ? 2 : 1, 1, 1, i == 0 ? 2 : 1, in_draft_.cache->max_splits()});
    launch_choose_draft(state_.data(), draft_state_.data(), i, output_of(*draft_), laws(draft_exponentials_, draft_sums_), context);
  }
}

void DeviceRounds::put_round(std::int32_t length) {
  const LaunchContext& context = target_.device().context();
  put_draft(length);
  launch_begin_verification(state_.data(), target_state_.data(), length, context);
  target_.put_pass(target_state_.data(), *in_target_.cache, pass_shape(length + 1, *in_target_.cache));
  const DeviceLaws target_laws = laws(target_exponentials_, target_sums_), draft_laws = laws(draft_exponentials_, draft_sums_);
  launch_target_laws(state_.data(), length + 1, output_of(target_), target_laws, context);
  launch_verify(state_.data(), length, draft_laws, target_laws, forced_.data(), result_.data(), context);
}

const Graph& DeviceRounds::graph(std::int32_t length) {
  SPECLAB_EXPECT(length >= 0 && length <= max_length_, "a draft longer than the rounds were made for");
  const std::array<std::uint64_t, 2> generations{in_target_.cache->generation(), draft_ ? in_draft_.cache->generation() : 0};
  if (std::exchange(generations_, generations) != generations) graphs_.clear();
  const auto found = graphs_.find(length);
  if (found != graphs_.end()) return found->second;
  return graphs_.emplace(length, Graph(target_.device().context(), [&] { put_round(length); })).first->second;
}

void DeviceRounds::wait_for(std::uint32_t serial) const {
  const std::atomic_ref<std::uint32_t> written(result_.data()->serial);
  for (std::uint32_t polls = 1; written.load(std::memory_order_acquire) != serial; ++polls) {
    if (polls % (1u << 20) != 0 || target_.device().is_busy()) continue;
    if (written.load(std::memory_order_acquire) != serial) throw DeviceError("CUDA: a round ended without its result");
  }
  if (result_.data()->is_damaged) throw ModelFileError(target_.config().name + " or its drafter: logits are not finite on the device; its weights are damaged or its arithmetic overflowed");
}

const RoundResult& DeviceRounds::run(std::int32_t length, std::int32_t forced) {
  *forced_.data() = forced;
  graph(length).launch(target_.device().context());
  wait_for(++serial_);
  return *result_.data();
}

}  // namespace speclab::engines::cuda
