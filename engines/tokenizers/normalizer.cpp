#include "engines/tokenizers/normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <utility>

#include "engines/tokenizers/characters.h"

namespace speclab::engines {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

/// Calls `use(character)` with each character of the text.
template <typename Use>
void visit_characters(std::string_view text, Use use) {
  while (!text.empty()) {
    const char32_t character = first_character(text);
    text.remove_prefix(std::min(text.size(), character_length(text[0])));
    use(character);
  }
}

int combining_class(utf8proc_int32_t character) {
  return utf8proc_get_property(character)->combining_class;
}

/// Characters in place of which others stand, marks behind a letter in the order of their classes.
std::vector<utf8proc_int32_t> decomposed(std::string_view text, bool is_compatible) {
  const auto options = static_cast<utf8proc_option_t>(
      UTF8PROC_DECOMPOSE | (is_compatible ? UTF8PROC_COMPAT : UTF8PROC_STABLE));
  std::vector<utf8proc_int32_t> characters;
  visit_characters(text, [&](char32_t character) {
    constexpr std::size_t kLongest = 32;  // U+FDFA becomes 18
    const std::size_t size = characters.size();
    characters.resize(size + kLongest);
    int boundary = 0;
    const auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(character), characters.data() + size,
                                kLongest, options, &boundary);
    characters.resize(size + static_cast<std::size_t>(std::clamp<utf8proc_ssize_t>(
                                 count, 0, static_cast<utf8proc_ssize_t>(kLongest))));
  });
  for (auto begin = characters.begin(); begin != characters.end();) {
    const auto end = std::find_if(begin, characters.end(),
                                  [](utf8proc_int32_t c) { return combining_class(c) == 0; });
    std::stable_sort(begin, end, [](utf8proc_int32_t a, utf8proc_int32_t b) {
      return combining_class(a) < combining_class(b);
    });
    begin = end == characters.end() ? end : end + 1;
  }
  return characters;
}

class UnicodeFormStep final : public NormalizerStep {
 public:
  explicit UnicodeFormStep(UnicodeForm form) : form_(form) {}

  std::string apply(std::string text, bool, std::size_t) const override {
    if (is_ascii(text)) return text;
    const bool is_compatible = form_ == UnicodeForm::nfkc || form_ == UnicodeForm::nfkd;
    std::vector<utf8proc_int32_t> characters = decomposed(text, is_compatible);
    if (form_ == UnicodeForm::nfc || form_ == UnicodeForm::nfkc) {
      const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
      characters.resize(static_cast<std::size_t>(utf8proc_normalize_utf32(
          characters.data(), static_cast<utf8proc_ssize_t>(characters.size()), options)));
    }
    std::string result;
    for (const utf8proc_int32_t c : characters) append_character(static_cast<char32_t>(c), result);
    return result;
  }

 private:
  UnicodeForm form_;
};

class LowercaseStep final : public NormalizerStep {
  std::string apply(std::string text, bool, std::size_t) const override {
    std::string result;
    visit_characters(text, [&](char32_t c) { append_lower_case(c, result); });
    return result;
  }
};

class StripAccentsStep final : public NormalizerStep {
  std::string apply(std::string text, bool, std::size_t) const override {
    std::string result;
    visit_characters(text, [&](char32_t c) {
      if (!is_mark(c)) append_character(c, result);
    });
    return result;
  }
};

/// Drops control characters, and makes blanks of some others.
class NmtStep final : public NormalizerStep {
  static bool is_dropped(char32_t c) {
    return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F ||
           c == 0x8F || c == 0x9F;
  }
  static bool is_blank(char32_t c) {
    return c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
           (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
           c == 0xFEFF || c == 0xFFFD;
  }
  std::string apply(std::string text, bool, std::size_t) const override {
    std::string result;
    visit_characters(text, [&](char32_t c) {
      if (!is_dropped(c)) append_character(is_blank(c) ? U' ' : c, result);
    });
    return result;
  }
};

class StripStep final : public NormalizerStep {
 public:
  StripStep(bool left, bool right) : left_(left), right_(right) {}

  std::string apply(std::string text, bool, std::size_t) const override {
    std::string_view rest = text;
    if (left_) rest = without_first_white_space(rest);
    if (right_) rest = without_final_white_space(rest);
    return std::string(rest);
  }

 private:
  bool left_, right_;
};

class PrependStep final : public NormalizerStep {
 public:
  explicit PrependStep(std::string text) : text_(std::move(text)) {}
  std::string apply(std::string text, bool, std::size_t) const override {
    return text.empty() ? text : text_ + text;
  }

 private:
  std::string text_;
};

class ReplaceStep final : public NormalizerStep {
 public:
  ReplaceStep(std::string from, std::string by) : from_(std::move(from)), by_(std::move(by)) {}
  std::string apply(std::string text, bool, std::size_t most) const override {
    std::size_t size = text.size();
    for (std::size_t at = 0; (at = text.find(from_, at)) != std::string::npos; at += from_.size())
      check_made_bytes(size = size - from_.size() + by_.size(), most);
    return replaced(text, from_, by_);
  }

 private:
  std::string from_, by_;
};

class ReplacePatternStep final : public NormalizerStep {
 public:
  ReplacePatternStep(std::shared_ptr<const Pattern> from, std::string by)
      : from_(std::move(from)), by_(std::move(by)) {}

  std::string apply(std::string text, bool, std::size_t most) const override {
    std::string result;
    std::size_t done = 0;
    from_->visit_matches(text, [&](std::size_t begin, std::size_t end) {
      check_made_bytes(result.size() + (begin - done) + by_.size(), most);
      result.append(text, done, begin - done).append(by_);
      done = end;
    });
    return result.append(text, done);
  }

 private:
  std::shared_ptr<const Pattern> from_;
  std::string by_;
};

/// Bytes of the first grapheme cluster.
std::size_t grapheme_length(std::string_view text) {
  utf8proc_int32_t state = 0;
  std::size_t length = character_length(text[0]);
  auto last = static_cast<utf8proc_int32_t>(first_character(text));
  while (length < text.size()) {
    const auto next = static_cast<utf8proc_int32_t>(first_character(text.substr(length)));
    if (utf8proc_grapheme_break_stateful(last, next, &state)) break;
    length += character_length(text[length]);
    last = next;
  }
  return std::min(length, text.size());
}

/// Replaces whole grapheme clusters of less than six bytes, and characters of all others, by the
/// shortest entry that each begins with.
/// @source tokenizers/src/normalizers/precompiled.rs
class PrecompiledStep final : public NormalizerStep {
 public:
  explicit PrecompiledStep(Charsmap charsmap) : charsmap_(std::move(charsmap)) {}

  std::string apply(std::string text, bool, std::size_t most) const override {
    if (charsmap_.empty()) return text;
    std::string result;
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view grapheme = rest.substr(0, grapheme_length(rest));
      rest.remove_prefix(grapheme.size());
      add(grapheme, most, result);
    }
    return result;
  }

 private:
  void add(std::string_view grapheme, std::size_t most, std::string& result) const {
    constexpr std::size_t kShort = 6;
    if (grapheme.size() < kShort && add_replacement(grapheme, most, result)) return;
    while (!grapheme.empty()) {
      const std::string_view one = grapheme.substr(0, character_length(grapheme[0]));
      if (!add_replacement(one, most, result)) result += one;
      grapheme.remove_prefix(one.size());
    }
  }
  bool add_replacement(std::string_view text, std::size_t most, std::string& result) const {
    const Charsmap::Match match = charsmap_.shortest(text);
    check_made_bytes(result.size() + match.replacement.size(), most);
    if (match.length > 0) result += match.replacement;
    return match.length > 0;
  }

  Charsmap charsmap_;
};

}  // namespace

std::size_t most_made_bytes(std::size_t text_bytes) { return 64 * text_bytes + (1 << 20); }

void check_made_bytes(std::size_t bytes, std::size_t most) {
  if (bytes > most)
    throw TooLongTextError("the normalizer of the tokenizer makes more than " +
                           std::to_string(most) + " bytes of a text; allowed: " + kMostMadeBytes +
                           "; use a tokenizer with a simpler normalizer");
}

std::string normalized(const Normalizer& steps, std::string_view text, bool is_first,
                       std::size_t& left) {
  std::string result(text);
  for (const auto& step : steps) {
    result = step->apply(std::move(result), is_first, left);
    check_made_bytes(result.size(), left);
  }
  left -= std::min(left, result.size());
  return result;
}

std::shared_ptr<const NormalizerStep> unicode_form_step(UnicodeForm form) {
  return std::make_shared<UnicodeFormStep>(form);
}
std::shared_ptr<const NormalizerStep> lowercase_step() { return std::make_shared<LowercaseStep>(); }
std::shared_ptr<const NormalizerStep> strip_accents_step() {
  return std::make_shared<StripAccentsStep>();
}
std::shared_ptr<const NormalizerStep> nmt_step() { return std::make_shared<NmtStep>(); }
std::shared_ptr<const NormalizerStep> strip_step(bool left, bool right) {
  return std::make_shared<StripStep>(left, right);
}
std::shared_ptr<const NormalizerStep> prepend_step(std::string text) {
  return std::make_shared<PrependStep>(std::move(text));
}
std::shared_ptr<const NormalizerStep> replace_step(std::string from, std::string by) {
  return std::make_shared<ReplaceStep>(std::move(from), std::move(by));
}
std::shared_ptr<const NormalizerStep> replace_step(std::shared_ptr<const Pattern> from,
                                                   std::string by) {
  return std::make_shared<ReplacePatternStep>(std::move(from), std::move(by));
}
std::shared_ptr<const NormalizerStep> precompiled_step(Charsmap charsmap) {
  return std::make_shared<PrecompiledStep>(std::move(charsmap));
}

}  // namespace speclab::engines
