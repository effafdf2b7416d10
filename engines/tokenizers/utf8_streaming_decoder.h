#pragma once
#include <string>

#include "engines/interface/tokenizer.h"

namespace speclab::engines {

/// Holds back the bytes of an unfinished character. Bytes that belong to no character come out as
/// U+FFFD, so what is pushed out is always valid UTF-8.
class Utf8StreamingDecoder : public StreamingDecoder {
 public:
  /// @param tokenizer  outlives the decoder
  explicit Utf8StreamingDecoder(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  std::string push(Token token) override;
  std::string flush() override;

 private:
  const Tokenizer& tokenizer_;
  std::string held_;
};

}  // namespace speclab::engines
