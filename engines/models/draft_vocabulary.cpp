#include "engines/models/draft_vocabulary.h"

#include <fmt/format.h>

#include "engines/formats/json_file.h"

namespace speclab::engines {

std::vector<Token> read_draft_vocabulary(const JsonNode& list, std::int32_t vocab_size) {
  std::vector<Token> tokens;
  for (const JsonNode& element : list.elements()) {
    tokens.push_back(static_cast<Token>(element.as_integer(0, vocab_size - 1)));
    if (tokens.size() > 1 && tokens.end()[-2] >= tokens.back()) element.fail(element.shown(), fmt::format("tokens in rising order: one above {}", tokens.end()[-2]));
  }
  if (tokens.empty()) list.fail("no tokens", "at least one");
  return tokens;
}

}  // namespace speclab::engines
