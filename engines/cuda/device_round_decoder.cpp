#include "engines/cuda/device_round_decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/drafters/next_token_sources.h"
#include "engines/interface/device_round_checks.h"
#include "engines/models/clock.h"
#include "engines/models/commit_chain.h"
#include "engines/models/wrapped_models.h"
#include "sim/system/errors.h"

namespace speclab::engines::cuda {
namespace {

const DeviceLlama& device_llama(LanguageModel& model) {
  const auto* cuda_model = dynamic_cast<const LlamaCuda*>(&model);
  SPECLAB_EXPECT(cuda_model != nullptr, "rounds on the device need models of the device");
  return cuda_model->on_device();
}

void check_vocabulary(const LanguageModel& target, const LanguageModel* drafter) {
  if (drafter && drafter->info().vocab_size != target.info().vocab_size)
    refuse_device_rounds(fmt::format("a drafter of {} tokens for a target of {}",
                                     drafter->info().vocab_size, target.info().vocab_size),
                         "equal vocabularies");
}

DeviceRoundOptions supported_options(const DecoderOptions& options, const LanguageModel& target,
                                     const DeviceDrafter& drafter) {
  check_device_rounds(options);
  check_vocabulary(target, drafter.model.get());
  return {TreeShape::parse(options.drafter.tree, 0), options.sampling.temperature, options.seed,
          drafter.on_host != nullptr, options.drafter.traits().mixes_copies()};
}

}  // namespace

DeviceRoundDecoder::DeviceRoundDecoder(LanguageModel& target,
                                       std::shared_ptr<const Tokenizer> tokenizer,
                                       const DecoderOptions& options, DeviceDrafter drafter)
    : DecoderBase(target, std::move(tokenizer), options),
      rounds_(device_llama(target), drafter.model ? &device_llama(*drafter.model) : nullptr,
              supported_options(options, target, drafter)) {
  drafter_ = std::move(drafter.model);
  host_drafter_ = std::move(drafter.on_host);
  if (drafter_ && options.drafter.traits().mixes_copies())
    copies_ = copy_next_tokens(options.drafter, target.info().vocab_size);
}

DeviceRoundDecoder::~DeviceRoundDecoder() = default;

void DeviceRoundDecoder::check(const DecoderOptions& options) { check_device_rounds(options); }

void DeviceRoundDecoder::begin(const std::vector<Request>& requests,
                               const SpeculationLengthPolicy& policy) {
  if (requests.size() != 1)
    refuse_device_rounds(fmt::format("a batch of {}", requests.size()), "one sequence at a time");
  if (policy.stop_below() > 0.0)
    refuse_device_rounds("policy = \"" + policy.name() + "\"",
                         "policies that set a length before the draft");
  begin_sequences(requests, kMaxRows, reads_states() ? &prompt_states_ : nullptr);
  policy_ = policy.fresh();
  const Sequence& sequence = sequences().front();
  const CachedModel draft = drafter_ ? begin_draft(sequence) : CachedModel{};
  if (host_drafter_) host_drafter_->begin(sequences());
  if (copies_) copies_->begin(sequences(), 0);
  auto* target_cache = dynamic_cast<KvCacheCuda*>(&cache());
  const auto last = static_cast<std::int32_t>(sequence.tokens.size()) - 1;
  rounds_.begin({&device_llama(target()), target_cache, sequence.cache_slot}, draft,
                {sequence.id, sequence.tokens,
                 reads_states() ? prompt_features(last - 1, last) : std::span<const float>{}});
}

std::span<const float> DeviceRoundDecoder::prompt_features(std::int32_t begin, std::int32_t end) {
  const auto feature = static_cast<std::ptrdiff_t>(drafter_->info().feature_size),
             state = static_cast<std::ptrdiff_t>(target().info().state_size());
  features_.clear();
  for (std::ptrdiff_t token = std::max(begin, 0); token < end; ++token) {
    const auto first = prompt_states_.front().begin() + token * state;
    features_.insert(features_.end(), first, first + feature);
  }
  return features_;
}

/// The first draft reads the prompt, as on the host.
CachedModel DeviceRoundDecoder::begin_draft(const Sequence& sequence) {
  if (!draft_cache_ || draft_cache_->capacity() < cache().capacity())
    draft_cache_ = drafter_->make_cache(1, cache().capacity());
  else
    draft_cache_->release(0);
  draft_known_ = 0;
  draft_ns_ = 0;
  const std::int32_t slot = draft_cache_->begin();
  SPECLAB_EXPECT(slot == 0 && !sequence.tokens.empty(), "one sequence");
  return {&device_llama(*drafter_), dynamic_cast<KvCacheCuda*>(draft_cache_.get()), slot};
}

/// A round's graph feeds the last two tokens; what lies before them and is unknown, as the prompt
/// at first or tokens of rounds without a draft, is fed here.
void DeviceRoundDecoder::catch_up(const Sequence& sequence) {
  const auto needed = static_cast<std::int32_t>(sequence.tokens.size()) - 2;
  if (draft_known_ >= needed) return;
  LapClock clock;
  dynamic_cast<KvCacheCuda&>(*draft_cache_).plan().set_length(0, draft_known_);
  CountedModel counted(*drafter_);
  if (reads_states())
    read_prompt(counted, sequence);
  else
    commit_chain(counted, *draft_cache_, 0,
                 std::span(sequence.tokens)
                     .subspan(static_cast<std::size_t>(draft_known_),
                              static_cast<std::size_t>(needed - draft_known_)));
  draft_known_ = needed;
  draft_ns_ = clock.lap_ns();
  catch_up_bytes_ = counted.bytes_read();
}

/// Every token but the first stands beside the state of the one before it; the row of the last
/// token belongs to the first round.
void DeviceRoundDecoder::read_prompt(LanguageModel& counted, const Sequence& sequence) {
  const auto rows = static_cast<std::int32_t>(sequence.tokens.size()) - 2;
  commit_chain_with_logits(counted, *draft_cache_, 0,
                           {std::span(sequence.tokens).subspan(1, static_cast<std::size_t>(rows)),
                            prompt_features(0, rows)});
  prompt_states_.clear();
}

std::int32_t DeviceRoundDecoder::draft_length(const Sequence& sequence, std::int32_t& forced) {
  forced = -1;
  if (rounds_.max_length() == 0) return 0;
  std::int32_t wanted = std::min(policy_->next_length(), rounds_.max_length());
  if (options().verifier == "replay" && options().replay) {
    const ReplayTrace::Round& round = options().replay->at(sequence.id, sequence.round);
    wanted = std::min(wanted, round.depth);
    forced = round.accepted;
  }
  const std::int32_t length = std::clamp(wanted, 0, remaining(sequence) - 1);
  return fits_model(sequence, length) ? length : 0;
}

bool DeviceRoundDecoder::fits_model(const Sequence& sequence, std::int32_t length) const {
  if (reads_states() && !rounds_.reads_path()) return false;
  return !drafter_ || static_cast<std::int32_t>(sequence.tokens.size()) + length <=
                          drafter_->info().context_length;
}

void DeviceRoundDecoder::copy_text(const Sequence& sequence, std::int32_t length) {
  copied_.reset(sequence.tokens.back());
  copied_tokens_.clear();
  copied_shares_.clear();
  const bool is_there = length > 0 && copies_->start(sequence, length);
  for (TokenTree::Node node = 0; is_there && node < length; ++node) {
    const DraftPlace place{sequence, copied_, node};
    if (!copies_->knows(place)) break;
    copied_shares_.push_back(copies_->claimed_share(place).value());
    copied_tokens_.push_back(copies_->most_likely(place, 1).front().token);
    copied_.add(node, copied_tokens_.back());
  }
  rounds_.copy(copied_tokens_, copied_shares_);
}

DraftSize DeviceRoundDecoder::draft_on_host(const Sequence& sequence, std::int32_t length) {
  LapClock clock;
  const Sequence* const drafted_for = &sequence;
  const DraftLimit limit{length};
  host_drafter_->propose({&drafted_for, 1}, {&limit, 1}, {&draft_, 1});
  const DraftSize size = rounds_.take(draft_);
  draft_ns_ = clock.lap_ns();
  return size;
}

DraftSize DeviceRoundDecoder::prepare_draft(const Sequence& sequence, std::int32_t length) {
  draft_ns_ = catch_up_bytes_ = 0;
  if (host_drafter_) return draft_on_host(sequence, length);
  if (copies_) copy_text(sequence, length);
  if (length > 0 || rounds_.reads_path()) catch_up(sequence);
  return rounds_.size_of(length);
}

bool DeviceRoundDecoder::round() {
  Sequence& sequence = sequences().front();
  if (sequence.finished) return false;
  std::int32_t forced = -1;
  const std::int32_t length = draft_length(sequence, forced);
  const DraftSize size = prepare_draft(sequence, length);
  rounds_.prepare(size);
  LapClock clock;
  const RoundResult& result = rounds_.run(size, forced);
  apply(sequence, size, result, clock.lap_ns());
  return !sequence.finished;
}

/// The target's cache holds all tokens but the last one. The drafter's first forward finds all but
/// the last two, its later ones all. Drafted tokens do not count, as on the host.
ReadBytes DeviceRoundDecoder::graph_bytes(const Sequence& sequence, std::int32_t length) {
  const auto tokens = static_cast<std::int64_t>(sequence.tokens.size());
  const auto forward = [](const ModelInfo& info, std::int64_t cached) {
    return info.weight_bytes + std::max<std::int64_t>(cached, 0) * info.cache_bytes_per_token;
  };
  ReadBytes read{forward(target().info(), tokens - 1)};
  if (drafter_ && length > 0)
    read.draft =
        forward(drafter_->info(), tokens - 2) + (length - 1) * forward(drafter_->info(), tokens);
  return read;
}

/// The device's clock parts the round; what the host waited beyond it is other_ns.
void DeviceRoundDecoder::apply(Sequence& sequence, const DraftSize& size, const RoundResult& result,
                               std::int64_t host_ns) {
  LapClock clock;
  const auto part = [&](int i) {
    return static_cast<std::int64_t>(result.times[i + 1] - result.times[i]);
  };
  const RoundOutcome& outcome = result.outcome;
  ReadBytes read = graph_bytes(sequence, size.levels);
  read.draft += catch_up_bytes_;
  if (size.levels > 0 || reads_states())
    draft_known_ =
        static_cast<std::int32_t>(sequence.tokens.size()) +
        std::max(0, outcome.accepted - 1);  // the last one may be a leaf, which no pass read
  emitted_.assign(result.tokens, result.tokens + outcome.accepted);
  emitted_.push_back(outcome.next);
  const bool is_bonus = outcome.is_bonus != 0;
  fates_.assign(static_cast<std::size_t>(outcome.accepted), TokenFate::accepted);
  fates_.push_back(options().drafter.kind == "plain" ? TokenFate::plain
                   : is_bonus                        ? TokenFate::bonus
                                                     : TokenFate::recovered);
  RoundRecord record;
  record.round = static_cast<std::int32_t>(sequence.round++);
  record.position = static_cast<std::int32_t>(sequence.tokens.size());
  record.drafted = outcome.drafted;
  record.depth = outcome.depth;
  record.rows = outcome.drafted + 1;
  record.accepted = outcome.accepted;
  record.tested = outcome.tested;
  record.next_kind = is_bonus ? NextKind::bonus : NextKind::recovered;
  record.draft_ns = part(0) + draft_ns_;
  record.target_ns = part(1);
  record.verify_ns = part(2);
  record.emitted = emit(sequence, emitted_, fates_);
  policy_->observe(record);
  record.other_ns =
      std::max<std::int64_t>(0, host_ns - part(0) - part(1) - part(2)) + clock.lap_ns();
  record_round(sequence, record, read);
}

}  // namespace speclab::engines::cuda
