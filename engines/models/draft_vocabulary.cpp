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

std::vector<float> rows_of(std::span<const Token> tokens, std::span<const float> table, std::int32_t width) {
  std::vector<float> rows;
  rows.reserve(tokens.size() * static_cast<std::size_t>(width));
  for (const Token token : tokens) {
    const std::span row = table.subspan(static_cast<std::size_t>(token) * static_cast<std::size_t>(width), static_cast<std::size_t>(width));
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

}  // namespace speclab::engines
