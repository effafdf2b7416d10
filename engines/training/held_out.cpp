#include "engines/training/held_out.h"

#include <algorithm>
#include <cmath>

#include "engines/drafters/ngram_laws.h"

namespace speclab::engines {
namespace {

/// Sum of min(p, q) over what is known of p.
double overlap(const TopLaw& target, const Law& draft) {
  double sum = 0;
  for (std::size_t i = 0; i < TopLaw::kSize; ++i)
    sum += static_cast<double>(std::min(target.probabilities[i], draft[target.tokens[i]]));
  return sum;
}

}  // namespace

HeldOutScore held_out_score(const NgramModel& model, std::span<const Token> text) {
  HeldOutScore score{.tokens = static_cast<std::int64_t>(text.size())};
  for (std::size_t i = 0; i < text.size(); ++i)
    score.loss -= std::log(model.probability(text.first(i), text[i]));
  score.loss /= static_cast<double>(text.size());
  return score;
}

HeldOutScore held_out_score(const std::shared_ptr<const NgramModel>& model,
                            std::span<const OwnText* const> texts) {
  NgramLaws laws(model, 1.0), greedy(model, 0.0);
  HeldOutScore score;
  double accepted = 0, agreed = 0;
  Law law;
  for (const OwnText* text : texts)
    for (std::size_t i = 0; i < text->laws.size(); ++i, ++score.tokens) {
      const std::span context =
          std::span(text->tokens).first(static_cast<std::size_t>(text->prompt_length) + i);
      score.loss -= std::log(model->probability(context, text->tokens[context.size()]));
      laws.set_context(context);
      laws.fill(law);
      accepted += overlap(text->laws[i], law);
      greedy.set_context(context);
      greedy.fill(law);
      agreed += law.arg_max() == text->laws[i].tokens[0];
    }
  const auto total = static_cast<double>(score.tokens);
  return {score.tokens, score.loss / total, accepted / total, agreed / total};
}

}  // namespace speclab::engines
