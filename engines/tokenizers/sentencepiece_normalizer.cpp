#include <utility>

#include "engines/tokenizers/byte_trie.h"
#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/normalizer.h"

namespace speclab::engines {
namespace {

class SentencePieceStep final : public NormalizerStep {
 public:
  SentencePieceStep(const SentencePieceRules& rules, Charsmap charsmap,
                    const std::vector<std::string>& kept)
      : rules_(rules), charsmap_(std::move(charsmap)) {
    for (const std::string& text : kept)
      if (!text.empty()) kept_.add(text, 0);
  }

  std::string apply(std::string text, bool is_first, TextWork& work) const override {
    std::string_view rest = text;
    if (rules_.remove_extra_whitespaces) drop_first_blanks(rest);
    if (rest.empty()) return "";
    std::string result;
    const bool has_blank = rules_.dummy_prefix == PrependScheme::always ||
                           (rules_.dummy_prefix == PrependScheme::first && is_first);
    if (has_blank && !rules_.treat_whitespace_as_suffix) result += blank();
    add_all(rest, work.bytes_left, result);
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

std::shared_ptr<const NormalizerStep> sentencepiece_step(const SentencePieceRules& rules,
                                                         Charsmap charsmap,
                                                         const std::vector<std::string>& kept) {
  return std::make_shared<SentencePieceStep>(rules, std::move(charsmap), kept);
}

}  // namespace speclab::engines
