#include "engines/models/draft_vocabulary.h"

#include <fmt/format.h>

#include <numeric>

#include "engines/formats/json_file.h"

namespace speclab::engines {

std::vector<Token> read_draft_vocabulary(const JsonNode& list, std::int32_t vocab_size) {
  std::vector<Token> tokens;
  for (const JsonNode& element : list.elements()) {
    tokens.push_back(static_cast<Token>(element.as_integer(0, vocab_size - 1)));
    if (tokens.size() > 1 && tokens.end()[-2] >= tokens.back())
      element.fail(element.shown(),
                   fmt::format("tokens in rising order: one above {}", tokens.end()[-2]));
  }
  if (tokens.empty()) list.fail("no tokens", "at least one");
  return tokens;
}

std::vector<std::int32_t> rows_of_tokens(std::span<const Token> draft_vocabulary,
                                         std::int32_t vocab_size, std::int32_t absent) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(vocab_size), absent);
  if (draft_vocabulary.empty()) std::iota(rows.begin(), rows.end(), 0);
  std::int32_t row = 0;
  for (const Token token : draft_vocabulary) rows[static_cast<std::size_t>(token)] = row++;
  return rows;
}

}  // namespace speclab::engines
