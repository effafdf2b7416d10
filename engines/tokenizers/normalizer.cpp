#include "engines/tokenizers/pre_tokenizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <utility>

#include "engines/tokenizers/characters.h"

namespace speclab::engines {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

int combining_class(utf8proc_int32_t character) {
  return utf8proc_get_property(character)->combining_class;
}

/// Characters in place of which others stand, marks behind a letter in the order of their classes.
std::vector<utf8proc_int32_t> decomposed(std::string_view text, bool is_compatible) {
  const auto options = static_cast<utf8proc_option_t>(
      UTF8PROC_DECOMPOSE | (is_compatible ? UTF8PROC_COMPAT : UTF8PROC_STABLE));
  std::vector<utf8proc_int32_t> characters;
  for (const char32_t character : characters_of(text)) {
    constexpr std::size_t kLongest = 32;  // U+FDFA becomes 18
    const std::size_t size = characters.size();
    characters.resize(size + kLongest);
    int boundary = 0;
    const auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(character), characters.data() + size,
                                kLongest, options, &boundary);
    characters.resize(size + static_cast<std::size_t>(std::clamp<utf8proc_ssize_t>(
                                 count, 0, static_cast<utf8proc_ssize_t>(kLongest))));
  }
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

bool is_mark(char32_t character) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(character));
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool is_dropped_by_nmt(char32_t c) {
  return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F ||
         c == 0x9F;
}
bool is_blank_of_nmt(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
         c == 0xFFFD;
}

/// A step that looks at each character by itself.
/// @param append  appends what takes its place
NormalizerStep step_of_characters(void (*append)(char32_t character, std::string& text)) {
  return [append](const std::string& text, bool, TextWork&) {
    std::string result;
    for (const char32_t character : characters_of(text)) append(character, result);
    return result;
  };
}

}  // namespace

std::size_t most_made_bytes(std::size_t text_bytes) { return 64 * text_bytes + (1 << 20); }

void check_made_bytes(std::size_t bytes, std::size_t most) {
  if (bytes > most)
    throw TooLongTextError("the normalizer of the tokenizer makes more than " +
                           std::to_string(most) + " bytes of a text; allowed: " + kMostMadeBytes +
                           "; use a tokenizer with a simpler normalizer");
}

std::string normalized(const Normalizer& steps, std::string_view text, bool is_first,
                       TextWork& work) {
  std::string result(text);
  for (const auto& step : steps) {
    result = step(std::move(result), is_first, work);
    check_made_bytes(result.size(), work.bytes_left);
  }
  work.bytes_left -= std::min(work.bytes_left, result.size());
  return result;
}

NormalizerStep strip_step(bool left, bool right) {
  return [left, right](const std::string& text, bool, TextWork&) {
    std::string_view rest = text;
    if (left) rest = without_first_white_space(rest);
    if (right) rest = without_final_white_space(rest);
    return std::string(rest);
  };
}

NormalizerStep prepend_step(std::string text) {
  return [begin = std::move(text)](const std::string& rest, bool, TextWork&) {
    return rest.empty() ? rest : begin + rest;
  };
}

NormalizerStep replace_step(std::string from, std::string by) {
  return
      [from = std::move(from), by = std::move(by)](const std::string& text, bool, TextWork& work) {
        std::size_t size = text.size();
        for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += from.size())
          check_made_bytes(size = size - from.size() + by.size(), work.bytes_left);
        return replaced(text, from, by);
      };
}

NormalizerStep replace_step(std::shared_ptr<const Pattern> from, std::string by) {
  return
      [from = std::move(from), by = std::move(by)](const std::string& text, bool, TextWork& work) {
        std::string result;
        std::size_t done = 0;
        from->visit_matches(text, work.pattern_steps, [&](std::size_t begin, std::size_t end) {
          check_made_bytes(result.size() + (begin - done) + by.size(), work.bytes_left);
          result.append(text, done, begin - done).append(by);
          done = end;
        });
        return result.append(text, done);
      };
}

NormalizerStep unicode_form_step(UnicodeForm form) {
  return [form](std::string text, bool, TextWork&) {
    if (is_ascii(text)) return text;
    const bool is_compatible = form == UnicodeForm::nfkc || form == UnicodeForm::nfkd;
    std::vector<utf8proc_int32_t> characters = decomposed(text, is_compatible);
    if (form == UnicodeForm::nfc || form == UnicodeForm::nfkc) {
      const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
      characters.resize(static_cast<std::size_t>(utf8proc_normalize_utf32(
          characters.data(), static_cast<utf8proc_ssize_t>(characters.size()), options)));
    }
    return utf8_of(std::u32string(characters.begin(), characters.end()));
  };
}

NormalizerStep lowercase_step() {
  return step_of_characters([](char32_t character, std::string& text) {
    constexpr char32_t kCapitalIWithDot = 0x130,
                       kDotAbove = 0x307;  // the only one that becomes two
    const auto lower = utf8proc_tolower(static_cast<utf8proc_int32_t>(character));
    append_utf8(character == kCapitalIWithDot ? U'i' : static_cast<char32_t>(lower), text);
    if (character == kCapitalIWithDot) append_utf8(kDotAbove, text);
  });
}

NormalizerStep strip_accents_step() {
  return step_of_characters([](char32_t character, std::string& text) {
    if (!is_mark(character)) append_utf8(character, text);
  });
}

NormalizerStep nmt_step() {
  return step_of_characters([](char32_t character, std::string& text) {
    if (is_dropped_by_nmt(character)) return;
    append_utf8(is_blank_of_nmt(character) ? U' ' : character, text);
  });
}

}  // namespace speclab::engines
