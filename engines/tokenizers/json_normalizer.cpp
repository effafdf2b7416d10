#include <cctype>
#include <nlohmann/json.hpp>

#include "engines/tokenizers/characters.h"
#include "engines/tokenizers/json_steps.h"

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

std::shared_ptr<const NormalizerStep> json_precompiled(const JsonNode& node) {
  const auto text = node.find("precompiled_charsmap");
  const auto bytes = text ? from_base64(text->as_string()) : std::string();
  if (!bytes) text->fail("no base64", "a table in base64");
  std::string problem;
  Charsmap charsmap(*bytes, problem);
  if (!problem.empty()) text->fail(problem, "a trie and its replacements");
  return precompiled_step(std::move(charsmap));
}

std::shared_ptr<const NormalizerStep> json_replace(const JsonNode& node) {
  const JsonNode pattern = node.at("pattern");
  std::string by = node.at("content").as_string();
  const auto text = pattern.find("String");
  if (!text) return replace_step(json_pattern(pattern), std::move(by));
  if (text->as_string().empty()) text->fail("empty", "one or more characters");
  return replace_step(text->as_string(), std::move(by));
}

std::shared_ptr<const NormalizerStep> json_normalizer_step(const JsonNode& node) {
  const std::string& type = node.at("type").as_string();
  if (type == "NFC") return unicode_form_step(UnicodeForm::nfc);
  if (type == "NFD") return unicode_form_step(UnicodeForm::nfd);
  if (type == "NFKC") return unicode_form_step(UnicodeForm::nfkc);
  if (type == "NFKD") return unicode_form_step(UnicodeForm::nfkd);
  if (type == "Lowercase") return lowercase_step();
  if (type == "StripAccents") return strip_accents_step();
  if (type == "Nmt") return nmt_step();
  if (type == "Strip")
    return strip_step(json_flag(node, "strip_left", true), json_flag(node, "strip_right", true));
  if (type == "Prepend") return prepend_step(node.at("prepend").as_string());
  if (type == "Replace") return json_replace(node);
  if (type == "Precompiled") return json_precompiled(node);
  node.at("type").fail(node.at("type").shown(), kNormalizers);
}

void add_normalizer(const JsonNode& node, Normalizer& steps) {
  constexpr std::size_t kMostSteps = 1000;
  if (node.at("type").as_string() != "Sequence") {
    if (steps.size() == kMostSteps) node.fail("more than 1000 steps", "at most 1000");
    return steps.push_back(json_normalizer_step(node));
  }
  for (const JsonNode& step : node.at("normalizers").elements()) add_normalizer(step, steps);
}

}  // namespace

bool json_flag(const JsonNode& node, const char* key, bool missing) {
  const auto value = node.find(key);
  return value ? value->as_bool() : missing;
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

}  // namespace speclab::engines
