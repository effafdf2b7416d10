#pragma once
#include <string>

#include "engines/interface/tokenizer.h"
#include "engines/tokenizers/token_spelling.h"

namespace speclab::engines {

/// Holds back the bytes of an unfinished character. Bytes that belong to no character come out as
/// U+FFFD, so what is pushed out is always valid UTF-8.
class Utf8StreamingDecoder : public StreamingDecoder {
 public:
  /// @param rules  outlive the decoder
  explicit Utf8StreamingDecoder(const SpellingRules& rules) : spelling_(rules) {}
  std::string push(Token token) override;
  std::string flush() override;

 private:
  Spelling spelling_;
  std::string held_;
};

}  // namespace speclab::engines
