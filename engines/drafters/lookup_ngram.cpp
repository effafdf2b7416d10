#include <fmt/format.h>

#include "engines/drafters/drafters.h"
#include "engines/drafters/ngram_laws.h"
#include "engines/drafters/prompt_matches.h"
#include "sim/core/chance.h"
#include "sim/core/errors.h"
#include "sim/core/law_sampling.h"
#include "sim/core/round_key.h"

namespace speclab::engines {
namespace {

class LookupNgramDrafter final : public Drafter {
 public:
  LookupNgramDrafter(std::shared_ptr<const NgramModel> model, const DecoderOptions& options)
      : laws_(std::move(model), options.sampling.temperature), matches_(options.drafter), weight_(options.drafter.lookup_weight),
        draw_kind_(options.sampling.temperature == 0 ? DrawKind::arg_max : DrawKind::sampled), chance_(chance_of(options)) {
    if (!(weight_ > 0 && weight_ <= 1)) throw ConfigError(fmt::format("lookup_weight = {}; allowed: numbers above 0, at most 1", weight_));
  }

  std::string name() const override { return "lookup_ngram"; }
  void begin(std::span<const Sequence> sequences) override { matches_.begin(sequences.size()); }
  void observe(const Sequence&, const Draft&, const Verdict&) override {}

  void propose(std::span<const Sequence* const> sequences, std::span<const std::int32_t> max_lengths, std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i) propose_one(*sequences[i], max_lengths[i], drafts[i]);
  }

 private:
  /// The copy ends where a drafted token is not the copied one, or the sequence ends.
  void propose_one(const Sequence& sequence, std::int32_t max_length, Draft& draft) {
    const RoundKey key{sequence.id, static_cast<std::uint32_t>(sequence.tokens.size()), sequence.round};
    draft.reset(sequence.tokens.back(), draw_kind_);
    if (max_length == 0) return;
    std::span<const Token> copied = matches_.continuation(sequence);
    laws_.set_context(sequence.tokens);
    for (TokenTree::Node node = 0; node < max_length; ++node) {
      Law& law = draft.law_for(node);
      if (copied.empty()) laws_.fill(law);
      else laws_.fill_mixed(copied.front(), weight_, law);
      const Token token = sample(law, draft_key(key, node, node + 1), *chance_, scratch_);
      draft.add(node, token);
      laws_.extend_context(token);
      if (!copied.empty()) copied = token == copied.front() ? copied.subspan(1) : std::span<const Token>();
    }
  }

  NgramLaws laws_;
  PromptMatches matches_;
  double weight_;
  DrawKind draw_kind_;
  std::shared_ptr<Chance> chance_;
  std::vector<float> scratch_;
};

}  // namespace

std::unique_ptr<Drafter> make_lookup_ngram_drafter(std::shared_ptr<const NgramModel> model, const DecoderOptions& options) {
  return std::make_unique<LookupNgramDrafter>(std::move(model), options);
}

}  // namespace speclab::engines
