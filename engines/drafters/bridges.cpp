#include "engines/drafters/bridges.h"

#include <fmt/format.h>

#include "engines/drafters/next_token_sources.h"
#include "engines/drafters/next_tokens.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

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
