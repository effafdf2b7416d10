#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/records.h"

namespace speclab::analysis {

/// A piece of generated text and where its token came from.
struct TextPiece {
  std::string text;
  TokenFate fate = TokenFate::plain;
};

struct TextSample {
  std::int64_t row_id = 0;
  std::string prompt;
  std::vector<TextPiece> pieces;
};

/// Reads texts.jsonl. @throws DataError with file and line
std::vector<TextSample> read_text_samples(const std::string& path);

}  // namespace speclab::analysis
