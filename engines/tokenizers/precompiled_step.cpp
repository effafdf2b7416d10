#include <utf8proc.h>

#include <algorithm>
#include <utility>

#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/normalizer.h"

namespace speclab::engines {
namespace {

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

  std::string apply(std::string text, bool, TextWork& work) const override {
    if (charsmap_.empty()) return text;
    std::string result;
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view grapheme = rest.substr(0, grapheme_length(rest));
      rest.remove_prefix(grapheme.size());
      add(grapheme, work.bytes_left, result);
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

std::shared_ptr<const NormalizerStep> precompiled_step(Charsmap charsmap) {
  return std::make_shared<PrecompiledStep>(std::move(charsmap));
}

}  // namespace speclab::engines
