#include "engines/tokenizers/utf8_streaming_decoder.h"

#include "sim/system/utf8.h"

namespace speclab::engines {

std::string Utf8StreamingDecoder::push(Token token) {
  spelling_.push(token, held_);
  std::string text;
  std::string_view rest = held_;
  while (!rest.empty()) {
    const Utf8Head head = utf8_head(rest);
    if (head.state == Utf8State::unfinished) break;
    text += head.state == Utf8State::complete ? rest.substr(0, head.length) : kReplacementCharacter;
    rest.remove_prefix(head.length);
  }
  held_ = std::string(rest);
  return text;
}

std::string Utf8StreamingDecoder::flush() {
  const std::string text(held_.empty() ? std::string_view() : kReplacementCharacter);
  held_.clear();
  return text;
}

}  // namespace speclab::engines
