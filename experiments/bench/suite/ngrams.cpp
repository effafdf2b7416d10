#include <memory>

#include "engines/drafters/ngram_laws.h"
#include "engines/drafters/prompt_matches.h"
#include "engines/ngrams/ngram_estimation.h"
#include "experiments/bench/ngrams/made_up_text.h"
#include "experiments/bench/suite/suite.h"

namespace speclab::bench {
namespace {

constexpr std::size_t kLaws = 256;  ///< of a call
constexpr std::size_t kPrompt = 1024, kEmitted = 64;

engines::NgramModel train(std::size_t tokens, std::int32_t order) {
  const std::vector<Token> text = made_up_text(tokens, 1);
  const engines::NgramText span{text};
  return engines::estimate_ngrams({&span, 1}, kTextVocab, {.order = order});
}

/// Laws after contexts in an order that no cache foresees.
struct Laws {
  explicit Laws(double temperature)
      : laws(std::make_shared<const engines::NgramModel>(train(10'000, 5)), temperature) {}

  std::uint64_t operator()() {
    Checksum checksum;
    for (std::size_t i = 0, at = 8; i < kLaws; ++i, at = 8 + (at + 7919) % (contexts.size() - 8)) {
      laws.set_context(std::span(contexts).subspan(at - 8, 8));
      laws.fill(law);
      checksum.add(law.entries().size())
          .add(static_cast<std::uint64_t>(law.entries().front().token));
    }
    return checksum.value();
  }

  engines::NgramLaws laws;
  std::vector<Token> contexts = made_up_text(20'000, 2);
  Law law{};
};

/// Reads a prompt anew, then follows it token by token.
std::uint64_t look_up(const std::vector<Token>& text) {
  engines::PromptMatches matches({});
  engines::Sequence sequence;
  sequence.tokens.assign(text.begin(), text.begin() + kPrompt);
  Checksum checksum;
  for (std::size_t i = 0; i < kEmitted; ++i) {
    checksum.add(matches.continuation(sequence).size());
    sequence.tokens.push_back(text[kPrompt + i]);
  }
  return checksum.value();
}

void add_laws(const Suite& suite, const std::string& name, double temperature) {
  suite.add("ngrams/laws/" + name, [temperature] {
    return [laws = std::make_shared<Laws>(temperature)] { return (*laws)(); };
  });
}

}  // namespace

void add_ngrams(const Suite& suite) {
  add_laws(suite, "temperature:0", 0.0);
  add_laws(suite, "temperature:0.7", 0.7);
  suite.add("ngrams/train",
            [] { return [] { return static_cast<std::uint64_t>(train(300, 3).num_ngrams()); }; });
  suite.add("ngrams/prompt_lookup",
            [] { return [text = repetitive_text(kPrompt + kEmitted)] { return look_up(text); }; });
}

}  // namespace speclab::bench
