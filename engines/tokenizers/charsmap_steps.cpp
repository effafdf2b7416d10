// Steps of a normalizer that go by the table of a Charsmap.

#include <utf8proc.h>

#include <algorithm>
#include <utility>

#include "engines/tokenizers/byte_trie.h"
#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/pre_tokenizer.h"

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
class PrecompiledStep {
 public:
  explicit PrecompiledStep(Charsmap charsmap) : charsmap_(std::move(charsmap)) {}

  std::string apply(const std::string& text, std::size_t most) const {
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

class SentencePieceStep {
 public:
  SentencePieceStep(const SentencePieceRules& rules, Charsmap charsmap,
                    const std::vector<std::string>& kept)
      : rules_(rules), charsmap_(std::move(charsmap)) {
    for (const std::string& text : kept)
      if (!text.empty()) kept_.add(text, 0);
  }

  std::string apply(std::string_view rest, bool is_first, std::size_t most) const {
    if (rules_.remove_extra_whitespaces) drop_first_blanks(rest);
    if (rest.empty()) return "";
    std::string result;
    const bool has_blank = rules_.dummy_prefix == PrependScheme::always ||
                           (rules_.dummy_prefix == PrependScheme::first && is_first);
    if (has_blank && !rules_.treat_whitespace_as_suffix) result += blank();
    add_all(rest, most, result);
    if (rules_.remove_extra_whitespaces)
      while (std::string_view(result).ends_with(blank()))
        result.resize(result.size() - blank().size());
    if (has_blank && rules_.treat_whitespace_as_suffix) result += blank();
    return result;
  }

 private:
  struct Step {
    std::size_t length;
    std::string_view text;
  };

  std::string_view blank() const { return rules_.escape_whitespaces ? kBlankMark : " "; }

  /// The next bytes and the text that takes their place.
  Step next(std::string_view text) const {
    std::size_t kept = 0;
    kept_.visit_prefixes(text, [&](std::size_t length, std::int32_t) { kept = length; });
    if (kept > 0) return {kept, text.substr(0, kept)};
    if (const Charsmap::Match match = charsmap_.longest(text); match.length > 0)
      return {match.length, match.replacement};
    const std::size_t length = std::min(text.size(), character_length(text[0]));
    return {length, text.substr(0, length)};
  }

  void drop_first_blanks(std::string_view& text) const {
    while (!text.empty()) {
      const Step step = next(text);
      if (step.text != " ") return;
      text.remove_prefix(step.length);
    }
  }

  void add_all(std::string_view text, std::size_t most, std::string& result) const {
    std::size_t num_read = 0;  // replacements count also where they are left out as blanks
    bool follows_blank = rules_.remove_extra_whitespaces;
    while (!text.empty()) {
      Step step = next(text);
      text.remove_prefix(step.length);
      check_made_bytes(num_read += step.text.size(), most);
      while (follows_blank && step.text.starts_with(' ')) step.text.remove_prefix(1);
      if (step.text.empty()) continue;
      for (const char c : step.text) {
        if (c == ' ')
          result += blank();
        else
          result += c;
      }
      follows_blank = rules_.remove_extra_whitespaces && step.text.ends_with(' ');
    }
  }

  SentencePieceRules rules_;
  Charsmap charsmap_;
  ByteTrie kept_;
};

}  // namespace

NormalizerStep precompiled_step(Charsmap charsmap) {
  return [step = std::make_shared<const PrecompiledStep>(std::move(charsmap))](
             const std::string& text, bool, TextWork& work) {
    return step->apply(text, work.bytes_left);
  };
}

NormalizerStep sentencepiece_step(const SentencePieceRules& rules, Charsmap charsmap,
                                  const std::vector<std::string>& kept) {
  return [step = std::make_shared<const SentencePieceStep>(rules, std::move(charsmap), kept)](
             const std::string& text, bool is_first, TextWork& work) {
    return step->apply(text, is_first, work.bytes_left);
  };
}

}  // namespace speclab::engines
