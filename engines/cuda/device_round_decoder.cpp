#include "engines/cuda/device_round_decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/interface/sampling_rows.h"
#include "engines/models/clock.h"
#include "engines/models/commit_chain.h"
#include "engines/models/wrapped_models.h"
#include "engines/sampling/score_processors.h"
#include "sim/core/tree_growth.h"
#include "sim/system/errors.h"

namespace speclab::engines::cuda {
namespace {

const DeviceLlama& device_llama(LanguageModel& model) {
  const auto* cuda_model = dynamic_cast<const LlamaCuda*>(&model);
  SPECLAB_EXPECT(cuda_model != nullptr, "rounds on the device need models of the device");
  return cuda_model->on_device();
}

[[noreturn]] void refuse(const std::string& found, const char* allowed) {
  throw ConfigError(fmt::format(
      "rounds on the device: {}; allowed there: {}; or give --rounds host", found, allowed));
}

/// Drafts of a shape that is fixed beforehand, which a graph can be captured for.
void check_tree(const DecoderOptions& options) {
  const TreeGrowth growth = TreeGrowth::parse(options.drafter.tree, 0);
  const std::string found = "tree = \"" + escaped(options.drafter.tree) + "\"";
  if (growth.is_grown())
    refuse(found, "chain, and shapes fixed beforehand as 3x2x1 or parents:0,0,1");
  if (growth.max_nodes() > kMaxDraftLength)
    refuse(fmt::format("{} of {} nodes", found, growth.max_nodes()), "up to 63 nodes");
  if (!verifier_traits(options.verifier).takes_trees && options.drafter.tree != "chain")
    refuse("verifier = \"block\" with " + found, "block with chains alone");
}

void check_supported(const DecoderOptions& options, const LanguageModel& target,
                     const LanguageModel* drafter) {
  const DrafterTraits drafts = options.drafter.traits();
  if (drafts.drafts() && !drafts.reads_language_model())
    refuse("drafter = \"" + escaped(options.drafter.kind) + "\"", "plain, none, small_transformer");
  check_tree(options);
  const bool is_drawn = options.sampling.temperature > 0 && drafts.drafts();
  if (is_drawn && options.verifier != "rejection" && options.verifier != "replay")
    refuse("verifier = \"" + escaped(options.verifier) + "\"", "rejection, replay");
  bool is_plain = true;
  visit_sampling_that_is_on(options.sampling, [&](const char*, const auto&) { is_plain = false; });
  if (!is_plain || options.sampling.rules.any())
    refuse("a setting that changes the law", "temperature alone");
  if (options.chance || options.on_draft) refuse("an observed or scripted decoder", "neither");
  if (options.log_probabilities) refuse("log-probabilities of tokens", "none of them");
  if (drafter && drafter->info().vocab_size != target.info().vocab_size)
    refuse(fmt::format("a drafter of {} tokens for a target of {}", drafter->info().vocab_size,
                       target.info().vocab_size),
           "equal vocabularies");
}

DeviceRoundOptions supported_options(const DecoderOptions& options, const LanguageModel& target,
                                     const LanguageModel* drafter) {
  check_supported(options, target, drafter);
  return {TreeShape::parse(options.drafter.tree, 0), options.sampling.temperature, options.seed};
}

}  // namespace

DeviceRoundDecoder::DeviceRoundDecoder(LanguageModel& target,
                                       std::shared_ptr<const Tokenizer> tokenizer,
                                       const DecoderOptions& options,
                                       std::shared_ptr<LanguageModel> drafter)
    : DecoderBase(target, std::move(tokenizer), options),
      drafter_(std::move(drafter)),
      rounds_(device_llama(target), drafter_ ? &device_llama(*drafter_) : nullptr,
              supported_options(options, target, drafter_.get())) {}

void DeviceRoundDecoder::begin(const std::vector<Request>& requests,
                               const SpeculationLengthPolicy& policy) {
  if (requests.size() != 1)
    refuse(fmt::format("a batch of {}", requests.size()), "one sequence at a time");
  if (policy.stop_below() > 0.0)
    refuse("policy = \"" + policy.name() + "\"", "policies that set a length before the draft");
  begin_sequences(requests, kMaxRows);
  policy_ = policy.fresh();
  const Sequence& sequence = sequences().front();
  const CachedModel draft = drafter_ ? begin_draft(sequence) : CachedModel{};
  auto* target_cache = dynamic_cast<KvCacheCuda*>(&cache());
  rounds_.begin({&device_llama(target()), target_cache, sequence.cache_slot}, draft, sequence.id,
                sequence.tokens);
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
  commit_chain(counted, *draft_cache_, 0,
               std::span(sequence.tokens)
                   .subspan(static_cast<std::size_t>(draft_known_),
                            static_cast<std::size_t>(needed - draft_known_)));
  draft_known_ = needed;
  draft_ns_ = clock.lap_ns();
  catch_up_bytes_ = counted.bytes_read();
}

std::int32_t DeviceRoundDecoder::draft_length(const Sequence& sequence, std::int32_t& forced) {
  forced = -1;
  if (!drafter_) return 0;
  std::int32_t wanted = std::min(policy_->next_length(), rounds_.max_length());
  if (options().verifier == "replay" && options().replay) {
    const ReplayTrace::Round& round = options().replay->at(sequence.id, sequence.round);
    wanted = std::min(wanted, round.depth);
    forced = round.accepted;
  }
  const std::int32_t length = std::clamp(wanted, 0, remaining(sequence) - 1);
  const bool fits =
      static_cast<std::int32_t>(sequence.tokens.size()) + length <= drafter_->info().context_length;
  return fits ? length : 0;
}

bool DeviceRoundDecoder::round() {
  Sequence& sequence = sequences().front();
  if (sequence.finished) return false;
  std::int32_t forced = -1;
  const std::int32_t length = draft_length(sequence, forced);
  draft_ns_ = catch_up_bytes_ = 0;
  if (length > 0) catch_up(sequence);
  rounds_.prepare(length);
  LapClock clock;
  const RoundResult& result = rounds_.run(length, forced);
  apply(sequence, length, result, clock.lap_ns());
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
  if (length > 0)
    read.draft =
        forward(drafter_->info(), tokens - 2) + (length - 1) * forward(drafter_->info(), tokens);
  return read;
}

/// The device's clock parts the round; what the host waited beyond it is other_ns.
void DeviceRoundDecoder::apply(Sequence& sequence, std::int32_t length, const RoundResult& result,
                               std::int64_t host_ns) {
  LapClock clock;
  const auto part = [&](int i) {
    return static_cast<std::int64_t>(result.times[i + 1] - result.times[i]);
  };
  const RoundOutcome& outcome = result.outcome;
  ReadBytes read = graph_bytes(sequence, length);
  read.draft += catch_up_bytes_;
  if (length > 0)
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
