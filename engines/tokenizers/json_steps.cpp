// The parts of a tokenizer.json that change and cut a text: normalizer and pre-tokenizer.

#include <nlohmann/json.hpp>

#include <cctype>

#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/json_parts.h"

namespace speclab::engines {
namespace {

constexpr const char* kNormalizers =
    "NFC, NFD, NFKC, NFKD, Precompiled, Prepend, Replace, Strip, StripAccents, Lowercase, Nmt, "
    "Sequence";

/// Bytes of base64 text. @return nothing if it is none @source RFC 4648, table 1
std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int num_bits = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    num_bits += 6;
    if (num_bits < 8) continue;
    num_bits -= 8;
    bytes += static_cast<char>(bits >> num_bits & 0xFF);
  }
  return bytes;
}

NormalizerStep json_precompiled(const JsonNode& node) {
  const auto text = node.find("precompiled_charsmap");
  const auto bytes = text ? from_base64(text->as_string()) : std::string();
  if (!bytes) text->fail("no base64", "a table in base64");
  std::string problem;
  Charsmap charsmap(*bytes, problem);
  if (!problem.empty()) text->fail(problem, "a trie and its replacements");
  return precompiled_step(std::move(charsmap));
}

NormalizerStep json_normalizer_step(const JsonNode& node) {
  const std::string& type = node.at("type").as_string();
  if (type == "NFC") return unicode_form_step(UnicodeForm::nfc);
  if (type == "NFD") return unicode_form_step(UnicodeForm::nfd);
  if (type == "NFKC") return unicode_form_step(UnicodeForm::nfkc);
  if (type == "NFKD") return unicode_form_step(UnicodeForm::nfkd);
  if (type == "Lowercase") return lowercase_step();
  if (type == "StripAccents") return strip_accents_step();
  if (type == "Nmt") return nmt_step();
  if (type == "Strip")
    return strip_step(node.flag_or("strip_left", true), node.flag_or("strip_right", true));
  if (type == "Prepend") return prepend_step(node.at("prepend").as_string());
  if (type == "Replace") return json_replace(node);
  if (type == "Precompiled") return json_precompiled(node);
  node.at("type").fail(node.at("type").shown(), kNormalizers);
}

void add_normalizer(const JsonNode& node, Normalizer& steps) {
  if (node.at("type").as_string() != "Sequence") {
    expect_few_steps(node, steps.size());
    return steps.push_back(json_normalizer_step(node));
  }
  for (const JsonNode& step : node.at("normalizers").elements()) add_normalizer(step, steps);
}

constexpr const char* kPreTokenizers =
    "ByteLevel, Metaspace, Split, Digits, Punctuation, Whitespace, WhitespaceSplit, "
    "CharDelimiterSplit, BertPreTokenizer, Sequence";

std::shared_ptr<const Pattern> own_pattern(const char* oniguruma) {
  std::string problem;
  return Pattern::from_file(oniguruma, problem);
}

SplitBehavior json_behavior(const JsonNode& node) {
  constexpr std::pair<const char*, SplitBehavior> kNames[] = {
      {"Removed", SplitBehavior::removed},
      {"Isolated", SplitBehavior::isolated},
      {"MergedWithPrevious", SplitBehavior::merged_with_previous},
      {"MergedWithNext", SplitBehavior::merged_with_next},
      {"Contiguous", SplitBehavior::contiguous}};
  for (const auto& [name, behavior] : kNames)
    if (node.as_string() == name) return behavior;
  node.fail(node.shown(), "Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous");
}

class PreTokenizerReader {
 public:
  explicit PreTokenizerReader(std::optional<bool> prefix_space) : prefix_space_(prefix_space) {}

  void add(const JsonNode& node) {
    const std::string& type = node.at("type").as_string();
    if (type == "Sequence") {
      for (const JsonNode& step : node.at("pretokenizers").elements()) add(step);
      return;
    }
    if (read_.is_byte_level)
      node.at("type").fail(node.at("type").shown() + " after ByteLevel", "ByteLevel last");
    expect_few_steps(node, read_.steps.size());
    if (type == "ByteLevel") return add_byte_level(node);
    if (type == "Metaspace") return add_metaspace(node);
    add_split(node, type);
  }

  JsonPreTokenizer take() { return std::move(read_); }

 private:
  void push(const std::shared_ptr<const Pattern>& pattern, SplitBehavior behavior,
            bool is_inverted) {
    read_.changes_text |= behavior == SplitBehavior::removed;
    read_.steps.push_back(split_step(pattern, behavior, is_inverted));
  }

  void add_split(const JsonNode& node, const std::string& type) {
    if (type == "Split")
      return push(json_pattern(node.at("pattern")), json_behavior(node.at("behavior")),
                  node.flag_or("invert", false));
    if (type == "Digits")
      return push(own_pattern(R"(\p{N})"),
                  node.flag_or("individual_digits", false) ? SplitBehavior::isolated
                                                           : SplitBehavior::contiguous,
                  false);
    if (type == "Punctuation") {
      const auto behavior = node.find("behavior");
      return push(own_pattern(R"([\p{P}!-/:-@\[-`{-~])"),
                  behavior ? json_behavior(*behavior) : SplitBehavior::isolated, false);
    }
    if (type == "Whitespace")
      return push(own_pattern(R"(\w+|[^\w\s]+)"), SplitBehavior::removed, true);
    if (type == "WhitespaceSplit") return push(own_pattern(R"(\s)"), SplitBehavior::removed, false);
    if (type == "BertPreTokenizer") {
      push(own_pattern(R"(\s)"), SplitBehavior::removed, false);
      return push(own_pattern(R"([\p{P}!-/:-@\[-`{-~])"), SplitBehavior::isolated, false);
    }
    if (type == "CharDelimiterSplit") return add_delimiter(node.at("delimiter"));
    node.at("type").fail(node.at("type").shown(), kPreTokenizers);
  }

  void add_delimiter(const JsonNode& node) {
    const std::string& text = json_character(node);
    const bool is_mark = text.size() == 1 && std::ispunct(text[0]);
    push(own_pattern((is_mark ? "\\" + text : text).c_str()), SplitBehavior::removed, false);
  }

  void add_byte_level(const JsonNode& node) {
    const bool has_prefix = node.flag_or("add_prefix_space", true);
    if (prefix_space_.value_or(has_prefix)) {
      read_.steps.push_back(prefix_space_step());
      read_.changes_text = true;
    }
    if (node.flag_or("use_regex", true))
      push(std::make_shared<Pattern>(pre_tokenizer_patterns("gpt-2").front()),
           SplitBehavior::isolated, false);
    read_.is_byte_level = true;
  }

  /// Older files say add_prefix_space instead of prepend_scheme.
  void add_metaspace(const JsonNode& node) {
    const std::string& text = json_character(node.at("replacement"));
    PrependScheme scheme =
        node.flag_or("add_prefix_space", true) ? PrependScheme::always : PrependScheme::never;
    if (const auto told = node.find("prepend_scheme")) scheme = json_scheme(*told);
    read_.steps.push_back(metaspace_step(text, scheme, node.flag_or("split", true)));
    read_.changes_text = true;
  }

  static PrependScheme json_scheme(const JsonNode& node) {
    if (node.as_string() == "always") return PrependScheme::always;
    if (node.as_string() == "first") return PrependScheme::first;
    if (node.as_string() == "never") return PrependScheme::never;
    node.fail(node.shown(), "always, first, never");
  }

  std::optional<bool> prefix_space_;  ///< instead of a ByteLevel's own
  JsonPreTokenizer read_;
};

}  // namespace

const std::string& json_character(const JsonNode& node) {
  const std::string& text = node.as_string();
  if (text.empty() || character_length(text[0]) != text.size())
    node.fail(node.shown(), "one character");
  return text;
}

void expect_few_steps(const JsonNode& node, std::size_t num_steps) {
  constexpr std::size_t kMostSteps = 1000;
  if (num_steps >= kMostSteps) node.fail("more than 1000 steps", "at most 1000");
}

NormalizerStep json_replace(const JsonNode& node) {
  const JsonNode pattern = node.at("pattern");
  std::string by = node.at("content").as_string();
  const auto text = pattern.find("String");
  if (!text) return replace_step(json_pattern(pattern), std::move(by));
  if (text->as_string().empty()) text->fail("empty", "one or more characters");
  return replace_step(text->as_string(), std::move(by));
}

Normalizer json_normalizer(const JsonNode& node) {
  Normalizer steps;
  add_normalizer(node, steps);
  return steps;
}

std::shared_ptr<const Pattern> json_pattern(const JsonNode& node) {
  std::string problem;
  if (const auto text = node.find("String")) {
    if (text->as_string().empty()) text->fail("empty", "one or more characters");
    std::string quoted;
    for (const char c : text->as_string()) {
      const bool is_word =
          static_cast<unsigned char>(c) >= 0x80 || std::isalnum(c) || c == ' ' || std::iscntrl(c);
      if (!is_word) quoted += '\\';
      quoted += c;
    }
    auto sought = Pattern::from_file(quoted, problem);
    if (!sought) text->fail(text->shown() + ": " + problem, "a text that can be looked for");
    return sought;
  }
  const JsonNode regex = node.at("Regex");
  auto pattern = Pattern::from_file(regex.as_string(), problem);
  if (!pattern) regex.fail(regex.shown() + ": " + problem, "a regular expression");
  return pattern;
}

JsonPreTokenizer json_pre_tokenizer(const JsonNode& node, std::optional<bool> prefix_space) {
  const bool is_alone = node.at("type").as_string() == "ByteLevel";
  PreTokenizerReader reader(is_alone ? prefix_space : std::nullopt);
  reader.add(node);
  return reader.take();
}

}  // namespace speclab::engines
