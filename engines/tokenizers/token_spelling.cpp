#include "engines/tokenizers/token_spelling.h"

#include "engines/tokenizers/characters.h"

namespace speclab::engines {

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

}  // namespace speclab::engines
