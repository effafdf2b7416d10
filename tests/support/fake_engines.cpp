#include "tests/support/fake_engines.h"

#include <algorithm>
#include <charconv>

#include "engines/interface/names.h"
#include "sim/core/tree_growth.h"
#include "sim/system/errors.h"

namespace speclab::testing {
namespace {

using namespace engines;

constexpr int kVocabSize = 256;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15u + b;
  x ^= x >> 31;
  return x * 0xbf58476d1ce4e5b9u ^ x >> 27;
}

/// Token 7 reads "<7>".
std::string spelled(Token token) { return "<" + std::to_string(token) + ">"; }

class FakeStream final : public StreamingDecoder {
 public:
  std::string push(Token token) override { return spelled(token); }
  std::string flush() override { return ""; }
};

/// What spells no token is a token a byte.
class FakeTokenizer final : public Tokenizer {
 public:
  /// @param opening  the tokens that every text begins with
  explicit FakeTokenizer(std::vector<Token> opening) { roles_.before = std::move(opening); }
  std::int32_t vocab_size() const override { return kVocabSize; }
  std::vector<Token> encode(std::string_view text, SpecialText) const override {
    std::vector<Token> ids;
    for (std::size_t at = 0; at < text.size();) {
      Token token = text[at];
      const auto [end, error] =
          text[at] == '<' ? std::from_chars(&text[at] + 1, text.data() + text.size(), token)
                          : std::from_chars_result{&text[at], std::errc::invalid_argument};
      const bool is_spelled =
          error == std::errc{} && end != text.data() + text.size() && *end == '>';
      ids.push_back(is_spelled ? token : Token{text[at]});
      at = is_spelled ? static_cast<std::size_t>(end + 1 - text.data()) : at + 1;
    }
    return ids;
  }
  const TokenRoles& roles() const override { return roles_; }
  std::string decode(std::span<const Token> ids) const override {
    std::string text;
    for (const Token id : ids) text += spelled(id);
    return text;
  }
  std::unique_ptr<StreamingDecoder> streaming_decoder() const override {
    return std::make_unique<FakeStream>();
  }
  bool is_end_of_sequence(Token) const override { return false; }
  bool has_chat_template() const override { return false; }
  std::string apply_chat_template(const ChatRequest&) const override {
    throw ConfigError("no template");
  }

 private:
  TokenRoles roles_;
};

class FakeCache final : public KvCache {
 public:
  explicit FakeCache(std::int32_t capacity) : capacity_(capacity) {}
  std::int32_t begin() override { return 0; }
  std::int32_t fork(std::int32_t) override { return 0; }
  void commit(std::int32_t, std::span<const std::int32_t> rows) override {
    length_ += static_cast<std::int32_t>(rows.size());
  }
  void keep(std::int32_t, std::span<const std::int32_t>) override {}
  void truncate(std::int32_t, std::int32_t length) override { length_ = length; }
  void release(std::int32_t) override { length_ = 0; }
  std::int32_t length(std::int32_t) const override { return length_; }
  std::int32_t capacity() const override { return capacity_; }

 private:
  std::int32_t capacity_;
  std::int32_t length_ = 0;
};

class FakeModel final : public LanguageModel {
 public:
  explicit FakeModel(ModelInfo info) : info_(std::move(info)), logits_(64 * kVocabSize) {}
  const ModelInfo& info() const override { return info_; }
  std::unique_ptr<KvCache> make_cache(std::int32_t, std::int32_t capacity) override {
    return std::make_unique<FakeCache>(capacity);
  }
  ForwardResult forward(std::span<const ForwardRow> rows, KvCache&) override {
    std::ranges::fill(logits_, static_cast<float>(rows.size()));
    return {logits_, kVocabSize};
  }

 private:
  ModelInfo info_;
  std::vector<float> logits_;
};

/// Two drafts in three are accepted, unless a trace says otherwise.
/// Decodes the sequences of a batch in rounds of their own.
class FakeBatch final : public RoundDecoder {
 public:
  explicit FakeBatch(std::function<std::unique_ptr<RoundDecoder>()> make) : make_(std::move(make)) {
    decoders_.push_back(make_());
  }

  void begin(const std::vector<Request>& requests, const SpeculationLengthPolicy& policy) override {
    while (decoders_.size() < requests.size()) decoders_.push_back(make_());
    decoders_.resize(requests.size());
    goes_on_.assign(requests.size(), true);
    records_.assign(requests.size(), {});
    for (std::size_t i = 0; i < requests.size(); ++i) decoders_[i]->begin({requests[i]}, policy);
  }
  bool round() override {
    for (std::size_t i = 0; i < decoders_.size(); ++i) {
      if (goes_on_[i]) goes_on_[i] = decoders_[i]->round();
      records_[i] = decoders_[i]->records().front();
    }
    return std::ranges::find(goes_on_, true) != goes_on_.end();
  }
  const std::vector<GenerationRecord>& records() const override { return records_; }
  void finish() override {}
  std::string description() const override { return "fake"; }

 private:
  std::function<std::unique_ptr<RoundDecoder>()> make_;
  std::vector<std::unique_ptr<RoundDecoder>> decoders_;
  std::vector<bool> goes_on_;
  std::vector<GenerationRecord> records_;
};

class FakeDecoder final : public RoundDecoder {
 public:
  FakeDecoder(DecoderOptions options, std::shared_ptr<FakeEnginesState> state)
      : options_(std::move(options)), state_(std::move(state)) {
    if (options_.verifier == "replay" && (!options_.replay || options_.replay->rounds.empty()))
      throw ConfigError("replay without a trace");
    ++state_->num_decoders;
  }

  ~FakeDecoder() override { --state_->num_decoders; }

  void begin(const std::vector<Request>& requests, const SpeculationLengthPolicy& policy) override {
    ++state_->num_generations;
    state_->on_allocation();
    state_->on_generation();
    state_->on_sequence(requests.front().sequence_id);
    request_ = requests.front();
    policy_ = policy.fresh();
    records_.assign(1, {});
    records_[0].prefill_ns = static_cast<std::int64_t>(1'000'000 * request_.prompt_ids.size());
  }

  bool round() override {
    state_->on_allocation();
    state_->on_round();
    GenerationRecord& record = records_.front();
    RoundRecord round{.round = static_cast<std::int32_t>(record.rounds.size()),
                      .position = static_cast<std::int32_t>(request_.prompt_ids.size() +
                                                            record.output_ids.size())};
    draft(round);
    if (options_.on_draft) show(round);
    round.draft_ns = state_->draft_ns * round.depth;
    round.target_ns = 10'000'000 + 100'000 * round.rows;
    round.verify_ns = 50'000;
    for (int i = 0; i < round.emitted; ++i) {
      record.output_ids.push_back(token_at(record.output_ids.size()));
      record.fates.push_back(is_plain()           ? TokenFate::plain
                             : i < round.accepted ? TokenFate::accepted
                                                  : TokenFate::recovered);
    }
    record.read.target += 1000 + 10 * round.position;
    record.read.draft += 100 * round.depth;
    record.decode_ns += round.draft_ns + round.target_ns + round.verify_ns;
    if (record.rounds.empty()) record.time_to_first_token_ns = record.prefill_ns + record.decode_ns;
    record.rounds.push_back(round);
    if (!is_plain()) record.bridge = state_->bridge;
    policy_->observe(round);
    return remaining() > 0;
  }

  const std::vector<GenerationRecord>& records() const override { return records_; }
  void finish() override {}
  std::string description() const override { return "fake"; }

 private:
  bool is_plain() const { return options_.drafter.kind == "plain"; }
  int remaining() const {
    return options_.stop.max_new_tokens - static_cast<int>(records_.front().output_ids.size());
  }

  /// Drafts of (3/4, 1/4) where the target has (1/2, 1/2): a chain to the round's depth, the other
  /// nodes beside its first.
  void show(const RoundRecord& round) const {
    std::vector<float> p(kVocabSize), q(kVocabSize);
    p[0] = p[1] = 0.5f;
    q[0] = 0.75f;
    q[1] = 0.25f;
    const Law target = Law::dense(p);
    Draft draft;
    draft.reset(0, DrawKind::sampled);
    for (TokenTree::Node node = 0; node < round.drafted; ++node) {
      const TokenTree::Node parent = node < round.depth ? node : 0;
      draft.law_for(parent) = Law::dense(q);
      draft.add(parent, 1);
    }
    options_.on_draft(draft, [&](TokenTree::Node) -> const Law& { return target; });
  }

  void draft(RoundRecord& round) {
    const int wanted = is_plain() ? 0 : std::min(policy_->next_length(), remaining() - 1);
    const TreeGrowth growth = TreeGrowth::parse(options_.drafter.tree, wanted);
    round.depth = growth.is_adaptive  ? (wanted + 1) / 2
                  : growth.is_grown() ? wanted
                                      : std::min(wanted, growth.shape.depth());
    round.drafted = growth.is_adaptive                 ? wanted
                    : options_.drafter.tree == "chain" ? round.depth
                                                       : growth.max_nodes();
    round.rows = round.drafted + 1;
    while (round.accepted < round.depth && accepts(round)) ++round.accepted;
    round.tested = std::min(round.depth, round.accepted + 1);
    round.next_kind = round.accepted == round.depth ? NextKind::bonus : NextKind::recovered;
    round.emitted = round.accepted + 1;
  }

  bool accepts(const RoundRecord& round) const {
    if (options_.verifier == "replay")
      return options_.replay->at(0, static_cast<std::uint32_t>(round.round)).accepted >
             round.accepted;
    return mixed(request_.sequence_id,
                 static_cast<std::uint64_t>(round.position + round.accepted)) %
               3 !=
           0;
  }

  Token token_at(std::size_t i) const {
    const auto temperature = static_cast<std::uint64_t>(1000 * options_.sampling.temperature);
    return static_cast<Token>(
        mixed(mixed(options_.seed, request_.sequence_id), temperature + 7 * i) % kVocabSize);
  }

  DecoderOptions options_;
  std::shared_ptr<FakeEnginesState> state_;
  Request request_;
  std::unique_ptr<SpeculationLengthPolicy> policy_;
  std::vector<GenerationRecord> records_;
};

}  // namespace

LoadedModel FakeEngines::load_model(const ModelOptions& options) {
  if (options.model == "missing") throw ConfigError("model 'missing': no such file");
  ModelInfo info;
  info.name = options.model;
  info.dtype = state_->dtype;
  info.kernels = "made_up";
  info.device = "cpu";
  info.sha256 = state_->sha256;
  info.vocab_size = kVocabSize;
  info.context_length = state_->context_length;
  info.num_parameters = 1000;
  info.random_weights = options.model.starts_with(kShapeModelPrefix);
  return {std::make_unique<FakeModel>(info),
          info.random_weights ? nullptr : load_tokenizer(options.model)};
}

std::shared_ptr<const Tokenizer> FakeEngines::load_tokenizer(const std::string& model) {
  return std::make_shared<FakeTokenizer>(model == "opens_texts" ? std::vector<Token>{1, 2}
                                                                : std::vector<Token>{});
}

std::unique_ptr<RoundDecoder> FakeEngines::make_decoder(LanguageModel&,
                                                        std::shared_ptr<const Tokenizer>,
                                                        const DecoderOptions& options) {
  state_->on_allocation();
  return std::make_unique<FakeBatch>(
      [options, state = state_] { return std::make_unique<FakeDecoder>(options, state); });
}

SearchRecord FakeEngines::search(LanguageModel&, std::shared_ptr<const Tokenizer>,
                                 const DecoderOptions& options, const Request& request,
                                 const std::function<void()>& check) {
  SearchRecord record{.prefill_ns = 1'000'000};
  FoundSequence text{.ids = {}, .score = -1.0};
  for (std::int32_t step = 0; step < options.stop.max_new_tokens; ++step) {
    check();
    state_->on_round();
    text.ids.push_back(static_cast<Token>(
        mixed(mixed(options.seed, request.sequence_id), static_cast<std::uint64_t>(step)) %
        kVocabSize));
    const auto position = static_cast<std::int32_t>(request.prompt_ids.size()) + step;
    record.rounds.push_back({.round = step,
                             .position = position,
                             .rows = step == 0 ? 1 : options.search->num_beams,
                             .emitted = 1,
                             .target_ns = 10'000'000 + 100'000 * options.search->num_beams,
                             .verify_ns = 50'000});
    record.decode_ns += record.rounds.back().target_ns + record.rounds.back().verify_ns;
  }
  record.sequences.assign(static_cast<std::size_t>(options.search->num_return_sequences), text);
  return record;
}

std::optional<ModelInfo> FakeEngines::drafter_info(const DrafterOptions& options) {
  if (!options.traits().reads_model()) return std::nullopt;
  ModelInfo info;
  info.name = options.kind;
  info.sha256 = state_->sha256;
  info.num_parameters = 10;
  info.vocab_size = kVocabSize;
  info.context_length = state_->drafter_context_length;
  info.training = {
      .tokens = 1000, .held_out_loss = 1.5, .held_out_agreement = 0.4, .held_out_acceptance = 0.3};
  return info;
}

std::unique_ptr<DeviceMonitor> FakeEngines::device_monitor() {
  struct Monitor final : DeviceMonitor {
    explicit Monitor(std::shared_ptr<FakeEnginesState> state) : state_(std::move(state)) {}
    DeviceSample sample() override { return state_->device(); }
    std::shared_ptr<FakeEnginesState> state_;
  };
  return state_->device ? std::make_unique<Monitor>(state_) : nullptr;
}

std::unique_ptr<EnergyMeter> FakeEngines::energy_meter() {
  struct Meter final : EnergyMeter {
    explicit Meter(std::shared_ptr<FakeEnginesState> state) : state_(std::move(state)) {}
    std::optional<double> joules() override { return state_->joules(); }
    std::string source() const override { return "a made-up meter"; }
    std::shared_ptr<FakeEnginesState> state_;
  };
  return state_->joules ? std::make_unique<Meter>(state_) : nullptr;
}

void FakeEngines::train(LanguageModel&, std::shared_ptr<const Tokenizer>, const std::string&,
                        const TrainOptions& options, const TrainCallbacks& callbacks) {
  if (!state_->on_train) throw ConfigError("fake engines train nothing");
  state_->on_train(options, callbacks);
}

void FakeEngines::train_language_model(const TrainOptions&, const TrainCallbacks&) {
  throw ConfigError("fake engines train nothing");
}

}  // namespace speclab::testing
