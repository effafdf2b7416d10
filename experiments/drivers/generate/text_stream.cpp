#include "experiments/drivers/generate/text_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engines/interface/names.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

struct CharacterRange {
  std::string_view first, last;
};

/// The CJK blocks of TextStreamer. UTF-8 has the order of the characters.
constexpr std::array<CharacterRange, 8> kCjk{{{"\u3400", "\u4DBF"},
                                              {"\u4E00", "\u9FFF"},
                                              {"\uF900", "\uFAFF"},
                                              {"\U00020000", "\U0002A6DF"},
                                              {"\U0002A700", "\U0002B73F"},
                                              {"\U0002B740", "\U0002B81F"},
                                              {"\U0002B820", "\U0002CEAF"},
                                              {"\U0002F800", "\U0002FA1F"}}};

/// Whether a byte of UTF-8 continues a character.
bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

std::string_view last_character(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && continues(text[begin - 1])) --begin;
  return text.substr(std::max<std::size_t>(begin, 1) - 1);
}

bool ends_with_cjk(std::string_view text) {
  const std::string_view last = last_character(text);
  return std::ranges::any_of(kCjk, [last](const CharacterRange& range) {
    return range.first <= last && last <= range.last;
  });
}

void check_name(const char* option, const std::string& name, const auto& names) {
  if (!engines::is_among(name, names))
    throw ConfigError(
        fmt::format("{} '{}'; allowed: {}", option, escaped(name, 40), fmt::join(names, ", ")));
}

}  // namespace

std::size_t words_end(std::string_view text) {
  if (text.ends_with('\n') || ends_with_cjk(text)) return text.size();
  const std::size_t blank = text.rfind(' ');
  return blank == std::string_view::npos ? 0 : blank + 1;
}

TextStream::TextStream(const engines::Tokenizer* tokenizer, const TextStreamOptions& options)
    : tokenizer_(tokenizer),
      decoder_(tokenizer ? tokenizer->streaming_decoder() : nullptr),
      options_(options) {}

std::string TextStream::push_prompt(std::span<const Token> tokens) {
  const bool keeps_all = options_.left_out == LeftOutTokens::ends;
  append(tokens, keeps_all ? LeftOutTokens::none : options_.left_out);
  begin_ = text_.size();
  return piece_to(pieces_end());
}

std::string TextStream::push(std::span<const Token> tokens) {
  const std::size_t size_before = text_.size();
  append(tokens, options_.left_out);
  cut_at_stop_string(size_before);
  return piece_to(pieces_end());
}

std::string TextStream::finish() {
  const std::size_t size_before = text_.size();
  if (decoder_ && !is_cut_) text_ += decoder_->flush();
  cut_at_stop_string(size_before);
  return piece_to(text_.size());
}

void TextStream::append(std::span<const Token> tokens, LeftOutTokens left_out) {
  if (!decoder_ || is_cut_) return;
  for (const Token token : tokens)
    if (!is_left_out(token, left_out)) text_ += decoder_->push(token);
}

bool TextStream::is_left_out(Token token, LeftOutTokens left_out) const {
  if (left_out == LeftOutTokens::none) return false;
  if (left_out == LeftOutTokens::ends)
    return tokenizer_->is_end_of_sequence(token) ||
           std::ranges::find(options_.ends, token) != options_.ends.end();
  return tokenizer_->token_bytes(token).empty();
}

/// @param size_before  bytes in which stop strings were looked for already
void TextStream::cut_at_stop_string(std::size_t size_before) {
  for (const std::string& stop : options_.stop_strings) {
    const std::size_t overlap = std::min(stop.size() - 1, size_before - begin_);
    const std::size_t found = text_.find(stop, size_before - overlap);
    if (found == std::string::npos) continue;
    text_.resize(found);
    is_cut_ = true;
  }
}

/// Bytes that may begin a stop string, and those that would part a character.
std::size_t TextStream::held_back() const {
  const std::string_view own = std::string_view(text_).substr(begin_);
  std::size_t held = 0;
  for (const std::string_view stop : options_.stop_strings)
    for (std::size_t size = std::min(own.size(), stop.size() - 1); size > held; --size)
      if (own.ends_with(stop.substr(0, size))) held = size;
  while (held > 0 && held < own.size() && continues(own[own.size() - held])) ++held;
  return held;
}

std::size_t TextStream::pieces_end() const {
  const std::string_view certain = std::string_view(text_).substr(0, text_.size() - held_back());
  if (options_.pieces == StreamPieces::whole) return 0;
  if (options_.pieces == StreamPieces::characters) return certain.size();
  const std::size_t given = std::min(given_, certain.size());
  return given + words_end(certain.substr(given));
}

std::string TextStream::piece_to(std::size_t end) {
  if (end <= given_) return "";
  std::string piece = text_.substr(given_, end - given_);
  given_ = end;
  return piece;
}

std::string StreamOptions::asked() const {
  if (form && *form != "off") return "--stream " + *form;
  return skip_prompt ? "" : "--skip-prompt false";
}

LeftOutTokens StreamOptions::left_out() const {
  if (skip_special_tokens == "ends") return LeftOutTokens::ends;
  return skip_special_tokens == "true" ? LeftOutTokens::special : LeftOutTokens::none;
}

void StreamOptions::check_names() const {
  if (form) check_name("--stream", *form, kStreamForms);
  check_name("--skip-special-tokens", skip_special_tokens, kSkippedTokens);
}

}  // namespace speclab::experiments
