#include "engines/drafters/drafters.h"
#include "engines/drafters/ngram_laws.h"
#include "sim/core/chance.h"
#include "sim/core/law_sampling.h"
#include "sim/core/round_key.h"

namespace speclab::engines {
namespace {

class NgramDrafter final : public Drafter {
 public:
  NgramDrafter(std::shared_ptr<const NgramModel> model, const DecoderOptions& options)
      : laws_(std::move(model), options.sampling.temperature), kind_(options.drafter.kind),
        draw_kind_(options.sampling.temperature == 0 ? DrawKind::arg_max : DrawKind::sampled), chance_(chance_of(options)) {}

  std::string name() const override { return kind_; }
  void begin(std::span<const Sequence>) override {}
  void observe(const Sequence&, const Draft&, const Verdict&) override {}

  void propose(std::span<const Sequence* const> sequences, std::span<const std::int32_t> max_lengths, std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i) propose_one(*sequences[i], max_lengths[i], drafts[i]);
  }

 private:
  void propose_one(const Sequence& sequence, std::int32_t max_length, Draft& draft) {
    const RoundKey key{sequence.id, static_cast<std::uint32_t>(sequence.tokens.size()), sequence.round};
    draft.reset(sequence.tokens.back(), draw_kind_);
    laws_.set_context(sequence.tokens);
    for (TokenTree::Node node = 0; node < max_length; ++node) {
      Law& law = draft.law_for(node);
      laws_.fill(law);
      const Token token = sample(law, draft_key(key, node, node + 1), *chance_, scratch_);
      draft.add(node, token);
      laws_.extend_context(token);
    }
  }

  NgramLaws laws_;
  std::string kind_;
  DrawKind draw_kind_;
  std::shared_ptr<Chance> chance_;
  std::vector<float> scratch_;
};

}  // namespace

std::unique_ptr<Drafter> make_ngram_drafter(std::shared_ptr<const NgramModel> model, const DecoderOptions& options) {
  return std::make_unique<NgramDrafter>(std::move(model), options);
}

}  // namespace speclab::engines
