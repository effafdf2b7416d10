#include "engines/drafters/bridges.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/drafters/next_token_sources.h"
#include "engines/drafters/next_tokens.h"
#include "sim/system/errors.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

/// Bytes of the character that the text begins with.
std::size_t first_character(std::string_view text) {
  const Utf8Head head = utf8_head(text);
  return head.state == Utf8State::unfinished ? text.size() : head.length;
}

/// @throws ConfigError if the drafter's tokenizer has no token for a character of the prompt
void check_spelling(const Tokenizer& drafter, std::string_view prompt) {
  if (drafter.num_bytes_without_token(prompt) == 0) return;
  for (std::size_t at = 0, size = 0; at < prompt.size(); at += size) {
    size = first_character(prompt.substr(at));
    const std::string character(prompt.substr(at, size));
    if (drafter.num_bytes_without_token(character) > 0)
      throw ConfigError(fmt::format(
          "the prompt has '{}' at byte {}, which no token of the drafter's tokenizer spells; "
          "allowed: a drafter whose tokenizer spells the prompt",
          escaped(character), at));
  }
}

std::unique_ptr<Drafter> drafter_of_shared_tokens(std::unique_ptr<DraftModel> model,
                                                  const Bridge& bridge, const ModelInfo& target,
                                                  const DecoderOptions& options) {
  if (options.sampling.rules.mask)
    throw ConfigError(fmt::format(
        "a constraint with the bridge {}, whose model cannot read every forced token; allowed: the "
        "bridges re_encode and look_behind",
        bridge.kind));
  SamplingOptions sampling = options.sampling;
  sampling.rules.forced_bos_token_id.reset();  // the model may lack them
  sampling.rules.forced_eos_token_ids.clear();
  const auto meter = std::make_shared<BridgeMeter>(bridge.kind, bridge.shared);
  auto shared = shared_vocabulary_model(std::move(model), bridge, target.vocab_size, meter);
  return metered_drafter(make_growing_drafter(model_next_tokens(std::move(shared), sampling),
                                              options.drafter.kind, options),
                         meter);
}

class MeteredDrafter final : public Drafter {
 public:
  MeteredDrafter(std::unique_ptr<Drafter> drafter, std::shared_ptr<BridgeMeter> meter)
      : drafter_(std::move(drafter)), meter_(std::move(meter)) {}

  std::string name() const override { return drafter_->name(); }
  void begin(std::span<const Sequence> sequences) override {
    meter_->begin(sequences.size());
    drafter_->begin(sequences);
  }
  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit> limits,
               std::span<Draft> drafts) override {
    drafter_->propose(sequences, limits, drafts);
    for (std::size_t i = 0; i < sequences.size(); ++i)
      meter_->of(*sequences[i]).draft_tokens += drafts[i].tree.drafted();
  }
  std::int64_t bytes_read() const override { return drafter_->bytes_read(); }
  std::optional<BridgeUse> bridge_use(const Sequence& sequence) const override {
    return meter_->use(sequence);
  }
  void observe(const Sequence& sequence, const Draft& draft, const Verdict& verdict) override {
    drafter_->observe(sequence, draft, verdict);
  }

 private:
  std::unique_ptr<Drafter> drafter_;
  std::shared_ptr<BridgeMeter> meter_;
};

}  // namespace

void DrafterTexts::begin(std::span<const Sequence> sequences, std::int32_t spare,
                         DraftModel& model) {
  sequences_.assign(sequences.begin(), sequences.end());
  texts_.assign(sequences.size(), RetokenizedText(tokenizers_, look_behind_));
  std::size_t longest = 0;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    check_spelling(*tokenizers_.drafter, tokenizers_.target->decode(sequences[i].tokens));
    texts_[i].read(sequences[i].tokens);
    sequences_[i].tokens = texts_[i].draft_tokens();
    longest = std::max(longest, sequences_[i].tokens.size());
  }
  spare_ = spare;
  room_ = static_cast<std::int32_t>(longest) + kGrowth * spare;
  model.begin(sequences_, kGrowth * spare);
}

const Sequence* DrafterTexts::read(const Sequence& sequence) {
  const auto index = static_cast<std::size_t>(sequence.index);
  RetokenizedText& text = texts_[index];
  text.read(sequence.tokens);
  const std::vector<Token>& tokens = text.draft_tokens();
  sequences_[index].tokens = tokens;
  sequences_[index].round = sequence.round;
  if (tokens.empty()) return nullptr;
  const bool fits = static_cast<std::int32_t>(tokens.size()) + spare_ <= room_;
  return fits ? &sequences_[index] : nullptr;
}

std::unique_ptr<Drafter> bridged_drafter(std::shared_ptr<LanguageModel> model, const Bridge& bridge,
                                         const ModelInfo& target, const DecoderOptions& options) {
  auto draft_model = transformer_draft_model(std::move(model));
  if (!bridge_traits(bridge.kind).spells_anew)
    return drafter_of_shared_tokens(std::move(draft_model), bridge, target, options);
  if (options.drafter.tree != "chain")
    throw ConfigError(
        fmt::format("tree '{}' with the bridge {}, which drafts chains; allowed: "
                    "chain, or the bridges intersection and trimmed_intersection",
                    escaped(options.drafter.tree), bridge.kind));
  return re_encoding_drafter(std::move(draft_model), bridge, target, options);
}

std::unique_ptr<Drafter> metered_drafter(std::unique_ptr<Drafter> drafter,
                                         std::shared_ptr<BridgeMeter> meter) {
  return std::make_unique<MeteredDrafter>(std::move(drafter), std::move(meter));
}

}  // namespace speclab::engines
