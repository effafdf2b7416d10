#include "experiments/drivers/generate/text_stream.h"

#include <algorithm>
#include <cstdio>

namespace speclab::experiments {

TextStream::TextStream(const engines::Tokenizer* tokenizer,
                       const std::vector<std::string>& stop_strings, bool echo)
    : tokenizer_(tokenizer),
      decoder_(tokenizer ? tokenizer->streaming_decoder() : nullptr),
      stop_strings_(stop_strings),
      echo_(echo) {}

void TextStream::push(std::span<const Token> tokens) {
  if (!decoder_) return;
  for (const Token token : tokens)
    if (!tokenizer_->is_end_of_sequence(token)) text_ += decoder_->push(token);
  cut_at_stop_string();
  print(text_.size() - held_back());
}

const std::string& TextStream::finish() {
  if (decoder_) text_ += decoder_->flush();
  cut_at_stop_string();
  print(text_.size());
  return text_;
}

void TextStream::cut_at_stop_string() {
  for (const std::string& stop : stop_strings_)
    text_.resize(std::min(text_.size(), text_.find(stop)));
}

/// Bytes that may begin a stop string, and those that would part a character.
std::size_t TextStream::held_back() const {
  std::size_t held = 0;
  for (const std::string& stop : stop_strings_)
    held = std::max(held, stop.size() - std::min<std::size_t>(1, stop.size()));
  held = std::min(held, text_.size());
  const auto continues_character = [&] {
    return held > 0 && held < text_.size() &&
           (static_cast<unsigned char>(text_[text_.size() - held]) & 0xC0) == 0x80;
  };
  while (continues_character()) ++held;
  return held;
}

void TextStream::print(std::size_t end) {
  if (!echo_ || end <= printed_) return;
  std::fwrite(text_.data() + printed_, 1, end - printed_, stdout);
  std::fflush(stdout);
  printed_ = end;
}

}  // namespace speclab::experiments
