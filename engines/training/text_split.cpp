#include "engines/training/text_split.h"

#include <set>

namespace speclab::engines {

TextSplit split_texts(const std::vector<OwnText>& texts, std::size_t num_held_out) {
  TextSplit split;
  std::set<std::vector<Token>> held_out_prompts;
  for (const OwnText& text : texts) {
    if (text.laws.empty()) continue;
    const std::vector<Token> prompt(text.tokens.begin(), text.tokens.begin() + text.prompt_length);
    if (split.held_out.size() < num_held_out) {
      split.held_out.push_back(&text);
      held_out_prompts.insert(prompt);
    } else if (!held_out_prompts.contains(prompt)) {
      split.training.push_back(&text);
    }
  }
  return split;
}

TextSplit split_texts(const std::vector<OwnText>& texts, const TrainOptions& options) {
  const auto num_held_out = static_cast<std::size_t>(options.schedule.validation_sequences);
  if (options.text.files.empty()) return split_texts(texts, num_held_out);
  TextSplit split;
  for (const OwnText& text : texts)
    (split.held_out.size() < num_held_out ? split.held_out : split.training).push_back(&text);
  return split;
}

}  // namespace speclab::engines
