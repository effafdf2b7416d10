// Steps of a normalizer that look at characters: Unicode's forms, case, accents, controls.

#include <utf8proc.h>

#include <algorithm>

#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/normalizer.h"

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

  std::string apply(std::string text, bool, TextWork&) const override {
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
  std::string apply(std::string text, bool, TextWork&) const override {
    std::string result;
    visit_characters(text, [&](char32_t c) { append_lower_case(c, result); });
    return result;
  }
};

class StripAccentsStep final : public NormalizerStep {
  std::string apply(std::string text, bool, TextWork&) const override {
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
  std::string apply(std::string text, bool, TextWork&) const override {
    std::string result;
    visit_characters(text, [&](char32_t c) {
      if (!is_dropped(c)) append_character(is_blank(c) ? U' ' : c, result);
    });
    return result;
  }
};

}  // namespace

std::shared_ptr<const NormalizerStep> unicode_form_step(UnicodeForm form) {
  return std::make_shared<UnicodeFormStep>(form);
}
std::shared_ptr<const NormalizerStep> lowercase_step() { return std::make_shared<LowercaseStep>(); }
std::shared_ptr<const NormalizerStep> strip_accents_step() {
  return std::make_shared<StripAccentsStep>();
}
std::shared_ptr<const NormalizerStep> nmt_step() { return std::make_shared<NmtStep>(); }

}  // namespace speclab::engines
