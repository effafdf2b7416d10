#include <fmt/format.h>

#include <algorithm>

#include "engines/drafters/drafters.h"
#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

/// Suffixes of max_ngram down to min_ngram tokens are looked up; the latest earlier match wins.
class PromptLookupDrafter final : public Drafter {
 public:
  PromptLookupDrafter(const DrafterOptions& options, std::int32_t vocab_size) : options_(options), vocab_size_(static_cast<std::size_t>(vocab_size)) {
    if (options.min_ngram < 1 || options.max_ngram < options.min_ngram)
      throw ConfigError(fmt::format("min_ngram = {}, max_ngram = {}; allowed: 1 <= min_ngram <= max_ngram", options.min_ngram, options.max_ngram));
  }

  std::string name() const override { return "prompt_lookup"; }
  void begin(std::span<const Sequence>) override {}
  void observe(const Sequence&, const Draft&, const Verdict&) override {}

  void propose(std::span<const Sequence* const> sequences, std::span<const std::int32_t> max_lengths, std::span<Draft> drafts) override {
    for (std::size_t i = 0; i < sequences.size(); ++i) propose_one(sequences[i]->tokens, max_lengths[i], drafts[i]);
  }

 private:
  void propose_one(const std::vector<Token>& tokens, std::int32_t max_length, Draft& draft) const {
    draft.reset(tokens.back(), DrawKind::arg_max);
    if (max_length == 0) return;
    const std::size_t from = continuation(tokens);
    TokenTree::Node node = 0;
    for (std::size_t i = from; i < tokens.size() && i < from + static_cast<std::size_t>(max_length); ++i) {
      draft.law_for(node).assign_point_mass(vocab_size_, tokens[i]);
      node = draft.add(node, tokens[i]);
    }
  }

  /// Index of the token after the latest earlier occurrence of the longest known suffix; tokens.size() if there is none.
  std::size_t continuation(const std::vector<Token>& tokens) const {
    const auto longest = std::min<std::size_t>(static_cast<std::size_t>(options_.max_ngram), tokens.size() - 1);
    for (std::size_t n = longest; n >= static_cast<std::size_t>(options_.min_ngram); --n) {
      const auto suffix = tokens.end() - static_cast<std::ptrdiff_t>(n);
      const auto match = std::find_end(tokens.begin(), tokens.end() - 1, suffix, tokens.end());
      if (match != tokens.end() - 1) return static_cast<std::size_t>(match - tokens.begin()) + n;
    }
    return tokens.size();
  }

  DrafterOptions options_;
  std::size_t vocab_size_;
};

}  // namespace

std::unique_ptr<Drafter> make_prompt_lookup_drafter(const DecoderOptions& options, std::int32_t vocab_size) {
  return std::make_unique<PromptLookupDrafter>(options.drafter, vocab_size);
}

}  // namespace speclab::engines
