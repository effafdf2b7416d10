#include <charconv>
#include <nlohmann/json.hpp>

#include "engines/tokenizers/byte_level.h"
#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/json_steps.h"

namespace speclab::engines {
namespace {

constexpr const char* kDecoders =
    "ByteLevel, ByteFallback, Fuse, Replace, Strip, Metaspace, Sequence";

std::string spelt_in_bytes(const std::string& text, TextWork&) {
  return bytes_of_token_text(text).value_or(text);
}

/// Drops up to so many of one character at both ends.
std::string stripped_text(std::string text, std::string_view content, std::size_t begin,
                          std::size_t end) {
  std::string_view rest = text;
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
    constexpr std::size_t kMostSteps = 1000;
    if (read_.of_token.size() == kMostSteps) node.fail("more than 1000 steps", "at most 1000");
    if (type == "Fuse") {
      is_fused_ = true;
    } else if (type == "ByteLevel") {
      read_.of_token.push_back(spelt_in_bytes);
    } else if (type == "ByteFallback") {
      read_.of_token.push_back([](std::string text, TextWork&) {
        const auto byte = byte_of_token(text);
        return byte ? std::string(1, *byte) : text;
      });
    } else if (type == "Replace") {
      add_replace(node);
    } else if (type == "Strip") {
      add_strip(node);
    } else if (type == "Metaspace") {
      add_metaspace(node);
    } else {
      node.at("type").fail(node.at("type").shown(), kDecoders);
    }
  }

  void add_replace(const JsonNode& node) {
    const JsonNode pattern = node.at("pattern");
    const std::string by = node.at("content").as_string();
    const auto text = pattern.find("String");
    if (text && text->as_string().empty()) text->fail("empty", "one or more characters");
    const auto step =
        text ? replace_step(text->as_string(), by) : replace_step(json_pattern(pattern), by);
    read_.of_token.push_back([step](std::string token, TextWork& work) {
      return step->apply(std::move(token), false, work);
    });
  }

  void add_strip(const JsonNode& node) {
    const std::string content = node.at("content").as_string();
    if (content.empty() || character_length(content[0]) != content.size())
      node.at("content").fail(node.at("content").shown(), "one character");
    constexpr std::int64_t kMost = 1000;
    const auto begin = static_cast<std::size_t>(node.at("start").as_integer(0, kMost));
    const auto end = static_cast<std::size_t>(node.at("stop").as_integer(0, kMost));
    if (!is_fused_) {
      read_.of_token.push_back([content, begin, end](std::string text, TextWork&) {
        return stripped_text(std::move(text), content, begin, end);
      });
      return;
    }
    if (!read_.stripped.empty()) node.fail("a second Strip after Fuse", "one");
    read_.stripped = content;
    read_.strip_begin = begin;
    read_.strip_end = end;
  }

  void add_metaspace(const JsonNode& node) {
    const std::string mark = node.at("replacement").as_string();
    if (mark.empty()) node.at("replacement").fail("empty", "one character");
    bool has_prefix = json_flag(node, "add_prefix_space", true);
    if (const auto scheme = node.find("prepend_scheme"))
      has_prefix = scheme->as_string() != "never";
    if (has_prefix) read_.dropped_at_first = mark;
    read_.of_token.push_back(
        [mark](const std::string& text, TextWork&) { return replaced(text, mark, " "); });
  }

  JsonDecoder read_;
  bool is_fused_ = false;
};

}  // namespace

JsonDecoder json_decoder(const JsonNode& node) {
  DecoderReader reader;
  reader.add(node);
  return reader.take();
}

std::optional<char> byte_of_token(const std::string& text) {
  constexpr std::size_t kLength = 6;
  if (text.size() != kLength || !text.starts_with("<0x") || text.back() != '>') return std::nullopt;
  unsigned byte = 0;
  const char* const end = text.data() + kLength - 1;
  const auto [at, error] = std::from_chars(text.data() + 3, end, byte, 16);
  if (error != std::errc() || at != end) return std::nullopt;
  return static_cast<char>(byte);
}

}  // namespace speclab::engines
