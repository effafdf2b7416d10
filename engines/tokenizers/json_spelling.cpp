#include "engines/tokenizers/json_spelling.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engines/formats/input_file.h"
#include "engines/tokenizers/json_steps.h"

namespace speclab::engines {
namespace {

std::size_t bytes_of(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}

std::string decoded(std::string text, const JsonDecoder& decoder, TextWork& work,
                    const std::string& path) try {
  for (const auto& step : decoder.of_token) text = step(std::move(text), work);
  work.bytes_left -= std::min(work.bytes_left, text.size());
  return text;
} catch (const TooLongTextError&) {
  throw_model_file_error(
      path, 0,
      {"decoder", "more than " + std::to_string(work.bytes_left) + " bytes of tokens",
       kMostMadeBytes});
}

}  // namespace

SpellingRules json_spelling(const std::optional<JsonNode>& node, const JsonVocabulary& vocabulary,
                            const Normalizer& normalizer, const std::string& path) {
  JsonDecoder decoder;
  if (node)
    decoder = json_decoder(*node);
  else
    decoder.separator = " ";
  SpellingRules rules{.texts = {},
                      .dropped_at_first = decoder.dropped_at_first,
                      .separator = decoder.separator,
                      .stripped = decoder.stripped,
                      .strip_begin = decoder.strip_begin,
                      .strip_end = decoder.strip_end};
  std::vector<std::string> texts;
  for (const auto& token : vocabulary.tokens()) texts.push_back(token.text);
  TextWork work(bytes_of(texts));
  for (const AddedToken& token : vocabulary.added())
    if (token.normalized)
      texts[static_cast<std::size_t>(token.id)] = normalized(normalizer, token.text, true, work);
  if (!rules.dropped_at_first.empty()) rules.raw_texts = texts;
  TextWork decoding(bytes_of(texts));
  for (std::string& text : texts)
    rules.texts.push_back(decoded(std::move(text), decoder, decoding, path));
  return rules;
}

}  // namespace speclab::engines
