#include <cctype>
#include <nlohmann/json.hpp>

#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/json_steps.h"

namespace speclab::engines {
namespace {

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
    constexpr std::size_t kMostSteps = 1000;
    if (read_.steps.size() >= kMostSteps) node.fail("more than 1000 steps", "at most 1000");
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
                  json_flag(node, "invert", false));
    if (type == "Digits")
      return push(own_pattern(R"(\p{N})"),
                  json_flag(node, "individual_digits", false) ? SplitBehavior::isolated
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
    const std::string& text = node.as_string();
    if (text.empty() || character_length(text[0]) != text.size())
      node.fail(node.shown(), "one character");
    const bool is_mark = text.size() == 1 && std::ispunct(text[0]);
    push(own_pattern((is_mark ? "\\" + text : text).c_str()), SplitBehavior::removed, false);
  }

  void add_byte_level(const JsonNode& node) {
    const bool has_prefix = json_flag(node, "add_prefix_space", true);
    if (prefix_space_.value_or(has_prefix)) {
      read_.steps.push_back(prefix_space_step());
      read_.changes_text = true;
    }
    if (json_flag(node, "use_regex", true))
      push(std::make_shared<Pattern>(pre_tokenizer_patterns("gpt-2").front()),
           SplitBehavior::isolated, false);
    read_.is_byte_level = true;
  }

  /// Older files say add_prefix_space instead of prepend_scheme.
  void add_metaspace(const JsonNode& node) {
    const JsonNode mark = node.at("replacement");
    const std::string& text = mark.as_string();
    if (text.empty() || character_length(text[0]) != text.size())
      mark.fail(mark.shown(), "one character");
    PrependScheme scheme =
        json_flag(node, "add_prefix_space", true) ? PrependScheme::always : PrependScheme::never;
    if (const auto told = node.find("prepend_scheme")) scheme = json_scheme(*told);
    read_.steps.push_back(metaspace_step(text, scheme, json_flag(node, "split", true)));
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

JsonPreTokenizer json_pre_tokenizer(const JsonNode& node, std::optional<bool> prefix_space) {
  const bool is_alone = node.at("type").as_string() == "ByteLevel";
  PreTokenizerReader reader(is_alone ? prefix_space : std::nullopt);
  reader.add(node);
  return reader.take();
}

}  // namespace speclab::engines
