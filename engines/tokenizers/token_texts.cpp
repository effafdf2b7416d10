// Tokens that are found in a text, and texts that are put together of tokens.

#include <algorithm>

#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/text_tokenizer.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

bool is_inside_a_word(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin > 0 && is_word_character(last_character(text.substr(0, begin)))) ||
         (end < text.size() && is_word_character(first_character(text.substr(end))));
}

class Utf8StreamingDecoder final : public StreamingDecoder {
 public:
  explicit Utf8StreamingDecoder(const SpellingRules& rules) : spelling_(rules) {}

  std::string push(Token token) override {
    spelling_.push(token, held_);
    std::string text;
    std::string_view rest = held_;
    while (!rest.empty()) {
      const Utf8Head head = utf8_head(rest);
      if (head.state == Utf8State::unfinished) break;
      text +=
          head.state == Utf8State::complete ? rest.substr(0, head.length) : kReplacementCharacter;
      rest.remove_prefix(head.length);
    }
    held_ = std::string(rest);
    return text;
  }

  std::string flush() override {
    return std::string(std::exchange(held_, "").empty() ? "" : kReplacementCharacter);
  }

 private:
  Spelling spelling_;
  std::string held_;
};

}  // namespace

void AddedTokens::add(const AddedToken& token) {
  trie_.add(token.text, static_cast<std::int32_t>(tokens_.size()));
  tokens_.push_back(token);
}

AddedTokens::Match AddedTokens::find(std::string_view text, std::size_t from) const {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    Match match{begin, begin, -1};
    trie_.visit_prefixes(text.substr(begin), [&](std::size_t length, std::int32_t index) {
      match.end = begin + length;
      match.index = index;
    });
    if (match.index >= 0) return match;
  }
  return {text.size(), text.size(), -1};
}

void AddedTokens::split(std::string_view text,
                        const std::function<void(std::size_t, std::size_t)>& plain,
                        const std::function<void(Token)>& found) const {
  std::size_t done = 0;
  for (Match match = find(text, 0); match.index >= 0; match = find(text, match.end)) {
    const AddedToken& token = tokens_[static_cast<std::size_t>(match.index)];
    std::size_t begin = match.begin, end = match.end;
    if (token.single_word && is_inside_a_word(text, begin, end)) continue;
    if (token.lstrip)
      begin = std::max(done, without_final_white_space(text.substr(0, begin)).size());
    if (token.rstrip) end = text.size() - without_first_white_space(text.substr(end)).size();
    if (done < begin) plain(done, begin);
    found(token.id);
    done = end;
  }
  if (done < text.size()) plain(done, text.size());
}

void Spelling::push(Token token, std::string& out) {
  const auto index = static_cast<std::size_t>(token);
  if (token < 0 || index >= rules_->texts.size() || rules_->texts[index].empty()) return;
  if (!is_first_) append(rules_->separator, out);
  append(text_of(index), out);
  is_first_ = false;
}

std::string_view Spelling::text_of(std::size_t index) {
  if (!is_first_ || rules_->dropped_at_first.empty()) return rules_->texts[index];
  unmarked_ = replaced(rules_->raw_texts[index], rules_->dropped_at_first, "");
  return unmarked_;
}

void Spelling::append(std::string_view text, std::string& out) {
  const std::string_view strip = rules_->stripped;
  for (; left_ > 0 && text.starts_with(strip); --left_) text.remove_prefix(strip.size());
  if (text.empty()) return;
  left_ = 0;
  if (rules_->strip_end == 0) {
    out += text;
    return;
  }
  held_ += text;
  std::size_t kept = held_.size();
  for (std::size_t i = 0; i < rules_->strip_end; ++i)
    if (std::string_view(held_).substr(0, kept).ends_with(strip)) kept -= strip.size();
  out.append(held_, 0, kept);
  held_.erase(0, kept);
}

std::unique_ptr<StreamingDecoder> utf8_streaming_decoder(const SpellingRules& rules) {
  return std::make_unique<Utf8StreamingDecoder>(rules);
}

}  // namespace speclab::engines
