#include <algorithm>

#include "engines/drafters/drafters.h"
#include "engines/drafters/prompt_matches.h"

namespace speclab::engines {
namespace {

class PromptLookupDrafter final : public Drafter {
 public:
  PromptLookupDrafter(const DrafterOptions& options, std::int32_t vocab_size)
      : matches_(options), vocab_size_(static_cast<std::size_t>(vocab_size)) {}

  std::string name() const override { return "prompt_lookup"; }
  void begin(std::span<const Sequence> sequences) override { matches_.begin(sequences.size()); }
  void observe(const Sequence&, const Draft&, const Verdict&) override {}

  void propose(std::span<const Sequence* const> sequences, std::span<const DraftLimit> limits,
               std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i)
      propose_one(*sequences[i], limits[i].max_length, drafts[i]);
  }

 private:
  void propose_one(const Sequence& sequence, std::int32_t max_length, Draft& draft) {
    draft.reset(sequence.tokens.back(), DrawKind::arg_max);
    if (max_length == 0) return;
    const std::span<const Token> copied = matches_.continuation(sequence);
    TokenTree::Node node = 0;
    for (const Token token :
         copied.first(std::min(copied.size(), static_cast<std::size_t>(max_length)))) {
      draft.law_for(node).assign_point_mass(vocab_size_, token);
      node = draft.add(node, token);
    }
  }

  PromptMatches matches_;
  std::size_t vocab_size_;
};

}  // namespace

std::unique_ptr<Drafter> make_prompt_lookup_drafter(const DecoderOptions& options,
                                                    std::int32_t vocab_size) {
  return std::make_unique<PromptLookupDrafter>(options.drafter, vocab_size);
}

}  // namespace speclab::engines
