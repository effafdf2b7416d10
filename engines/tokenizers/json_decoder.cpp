// The parts of a tokenizer.json that spell tokens and surround texts: decoder and post-processor.

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>
#include <vector>

#include "engines/formats/input_file.h"
#include "engines/tokenizers/bpe_merger.h"
#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/json_parts.h"

namespace speclab::engines {
namespace {

constexpr const char* kDecoders =
    "ByteLevel, ByteFallback, Fuse, Replace, Strip, Metaspace, Sequence";

/// How one token and a whole text are spelt.
struct JsonDecoder {
  Normalizer of_token;    ///< steps in turn on a token's text
  SpellingRules rules{};  ///< of the whole text; its tokens have no texts yet
};

/// Drops up to so many of one character at both ends.
std::string stripped_text(std::string_view rest, std::string_view content, std::size_t begin,
                          std::size_t end) {
  for (; begin > 0 && rest.starts_with(content); --begin) rest.remove_prefix(content.size());
  for (; end > 0 && rest.ends_with(content); --end) rest.remove_suffix(content.size());
  return std::string(rest);
}

class DecoderReader {
 public:
  void add(const JsonNode& node) {
    const std::string& type = node.at("type").as_string();
    if (type == "Sequence") {
      for (const JsonNode& step : node.at("decoders").elements()) add(step);
      return;
    }
    if (is_fused_ && type != "Strip" && type != "Fuse")
      node.at("type").fail(node.at("type").shown() + " after Fuse", "Strip after Fuse");
    add_step(node, type);
  }

  JsonDecoder take() { return std::move(read_); }

 private:
  void add_step(const JsonNode& node, const std::string& type) {
    expect_few_steps(node, read_.of_token.size());
    if (type == "Fuse") {
      is_fused_ = true;
    } else if (type == "ByteLevel") {
      add([](const std::string& text) { return bytes_of_token_text(text).value_or(text); });
    } else if (type == "ByteFallback") {
      add([](const std::string& text) {
        const auto byte = byte_of_token(text);
        return byte ? std::string(1, *byte) : text;
      });
    } else if (type == "Replace") {
      read_.of_token.push_back(json_replace(node));
    } else if (type == "Strip") {
      add_strip(node);
    } else if (type == "Metaspace") {
      add_metaspace(node);
    } else {
      node.at("type").fail(node.at("type").shown(), kDecoders);
    }
  }

  void add(std::function<std::string(const std::string&)> change) {
    read_.of_token.push_back([change = std::move(change)](const std::string& text, bool,
                                                          TextWork&) { return change(text); });
  }

  void add_strip(const JsonNode& node) {
    constexpr std::int64_t kMost = 1000;
    const std::string content = json_character(node.at("content"));
    const auto begin = static_cast<std::size_t>(node.at("start").as_integer(0, kMost));
    const auto end = static_cast<std::size_t>(node.at("stop").as_integer(0, kMost));
    if (!is_fused_)
      return add([content, begin, end](const std::string& text) {
        return stripped_text(text, content, begin, end);
      });
    if (!read_.rules.stripped.empty()) node.fail("a second Strip after Fuse", "one");
    read_.rules.stripped = content;
    read_.rules.strip_begin = begin;
    read_.rules.strip_end = end;
  }

  void add_metaspace(const JsonNode& node) {
    const std::string mark = node.at("replacement").as_string();
    if (mark.empty()) node.at("replacement").fail("empty", "one character");
    bool has_prefix = node.flag_or("add_prefix_space", true);
    if (const auto scheme = node.find("prepend_scheme"))
      has_prefix = scheme->as_string() != "never";
    if (has_prefix) read_.rules.dropped_at_first = mark;
    add([mark](const std::string& text) { return replaced(text, mark, " "); });
  }

  JsonDecoder read_;
  bool is_fused_ = false;
};

std::size_t bytes_of(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}

std::string decoded(std::string text, const JsonDecoder& decoder, TextWork& work,
                    const std::string& path) try {
  for (const auto& step : decoder.of_token) text = step(std::move(text), false, work);
  work.bytes_left -= std::min(work.bytes_left, text.size());
  return text;
} catch (const TooLongTextError&) {
  throw_model_file_error(
      path, 0,
      {"decoder", "more than " + std::to_string(work.bytes_left) + " bytes of tokens",
       kMostMadeBytes});
}

constexpr std::size_t kMostSurrounding = 100;

class PostProcessorReader {
 public:
  PostProcessorReader(const std::function<Token(const std::string&)>& id_of, std::int64_t most_id)
      : id_of_(id_of), most_id_(most_id) {}

  void add(const JsonNode& node) {
    const std::string& type = node.at("type").as_string();
    if (type == "ByteLevel") return;  // says what the places of tokens are, which nobody asks here
    if (type == "Sequence") {
      for (const JsonNode& step : node.at("processors").elements()) add(step);
      return;
    }
    if (type == "TemplateProcessing") {
      add_template(node);
    } else if (type == "RobertaProcessing" || type == "BertProcessing") {
      read_.before.insert(read_.before.begin(), id_of_pair(node.at("cls")));
      read_.after.push_back(id_of_pair(node.at("sep")));
    } else {
      node.at("type").fail(
          node.at("type").shown(),
          "ByteLevel, TemplateProcessing, RobertaProcessing, BertProcessing, Sequence");
    }
    if (read_.before.size() + read_.after.size() > kMostSurrounding)
      node.fail("more than 100 tokens around a text", "at most 100");
  }

  Surroundings take() { return std::move(read_); }

 private:
  /// ["</s>", 2]
  Token id_of_pair(const JsonNode& node) const {
    const std::vector<JsonNode> parts = node.elements();
    if (parts.size() != 2) node.fail(node.shown(), "a text and an id");
    return static_cast<Token>(parts[1].as_integer(0, most_id_));
  }

  void add_template(const JsonNode& node) {
    const JsonNode single = node.at("single");
    std::vector<Token> before, after;
    bool has_text = false;
    for (const JsonNode& part : single.elements()) {
      if (part.find("Sequence")) {
        if (has_text) single.fail("the text twice", "the text once");
        has_text = true;
        continue;
      }
      for (const Token id : ids_of(node, part.at("SpecialToken").at("id")))
        (has_text ? after : before).push_back(id);
    }
    if (!has_text) single.fail("no text", "special tokens around the text");
    read_.before.insert(read_.before.begin(), before.begin(), before.end());
    read_.after.insert(read_.after.end(), after.begin(), after.end());
  }

  /// Ids from the template's own table, or from the vocabulary where it has none.
  std::vector<Token> ids_of(const JsonNode& node, const JsonNode& name) const {
    if (const auto table = node.find("special_tokens"))
      if (const auto entry = table->find(name.as_string())) {
        std::vector<Token> ids;
        for (const JsonNode& id : entry->at("ids").elements())
          ids.push_back(static_cast<Token>(id.as_integer(0, most_id_)));
        return ids;
      }
    const Token id = id_of_(name.as_string());
    if (id == kNoToken) name.fail(name.shown(), "a token of the vocabulary");
    return {id};
  }

  const std::function<Token(const std::string&)>& id_of_;
  std::int64_t most_id_;
  Surroundings read_;
};

}  // namespace

std::optional<char> byte_of_token(const std::string& text) {
  constexpr std::size_t kLength = 6;
  if (text.size() != kLength || !text.starts_with("<0x") || text.back() != '>') return std::nullopt;
  unsigned byte = 0;
  const char* const end = text.data() + kLength - 1;
  const auto [at, error] = std::from_chars(text.data() + 3, end, byte, 16);
  if (error != std::errc() || at != end) return std::nullopt;
  return static_cast<char>(byte);
}

SpellingRules json_spelling(const std::optional<JsonNode>& node, const JsonVocabulary& vocabulary,
                            const Normalizer& normalizer, const std::string& path) {
  DecoderReader reader;
  if (node) reader.add(*node);
  const JsonDecoder decoder = reader.take();
  SpellingRules rules = decoder.rules;
  if (!node) rules.separator = " ";
  std::vector<std::string> texts;
  for (const auto& token : vocabulary.tokens()) texts.push_back(token.text);
  TextWork work(bytes_of(texts));
  for (const AddedToken& token : vocabulary.added())
    if (token.normalized)
      texts[static_cast<std::size_t>(token.id)] = normalized(normalizer, token.text, true, work);
  if (!rules.dropped_at_first.empty()) rules.raw_texts = texts;
  TextWork decoding(bytes_of(texts));
  for (std::string& text : texts)
    rules.texts.push_back(decoded(std::move(text), decoder, decoding, path));
  return rules;
}

Surroundings json_post_processor(const JsonNode& node,
                                 const std::function<Token(const std::string&)>& id_of,
                                 std::int64_t most_id) {
  PostProcessorReader reader(id_of, most_id);
  reader.add(node);
  return reader.take();
}

}  // namespace speclab::engines
