#include "engines/training/text_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/json_text.h"
#include "sim/system/utf8.h"

namespace speclab::engines {
namespace {

/// Bytes of text that the file begins with: UTF-8 without the byte 0, which no text has.
std::size_t text_prefix(const std::string& bytes) {
  return std::min(valid_utf8_prefix(bytes), bytes.find('\0'));
}

std::vector<Corpus> read_files(const std::vector<std::string>& files, const Tokenizer& tokenizer,
                               std::size_t least_tokens) {
  std::vector<Corpus> corpora;
  for (const std::string& file : files) {
    source_of(file);  // a mistake in it is better known before the training
    corpora.push_back({file, read_corpus(file, tokenizer, least_tokens)});
  }
  return corpora;
}

}  // namespace

Corpora read_corpora(const TextOptions& options, const Tokenizer& tokenizer,
                     std::size_t least_tokens) {
  return {read_files(options.files, tokenizer, least_tokens),
          read_files(options.held_out_files, tokenizer, least_tokens)};
}

nlohmann::ordered_json source_of(const std::string& file) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  constexpr int kDeepest = 16;
  const std::string source = file + ".source.json";
  if (!std::filesystem::exists(source)) return nullptr;
  if (std::filesystem::is_regular_file(source) && std::filesystem::file_size(source) > kMostBytes)
    throw DataError(
        escaped(source) +
        ": more than 1 MiB; it should name the source of the text beside it in some lines");
  const std::string text = read_file(source);
  if (const int depth = json_depth(text); depth > kDeepest)
    throw DataError(
        fmt::format("{}: values in values {} deep; allowed: {}", escaped(source), depth, kDeepest));
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object())
    throw DataError(escaped(source) +
                    ": no JSON object; it should name the source of the text beside it: correct "
                    "it, or remove it");
  return json;
}

std::vector<Token> read_corpus(const std::string& path, const Tokenizer& tokenizer,
                               std::size_t least_tokens) {
  const std::string bytes = read_file(path);
  if (bytes.empty()) throw DataError(fmt::format("{}: an empty file; allowed: UTF-8 text", path));
  if (const std::size_t length = text_prefix(bytes); length < bytes.size())
    throw DataError(fmt::format(
        "{}: byte {}: {:#04x} is no UTF-8 text; allowed: text files; convert it or leave it out",
        path, length, static_cast<unsigned char>(bytes[length])));
  std::vector<Token> tokens = tokenizer.encode(bytes, SpecialText::as_plain_text);
  if (tokens.size() < least_tokens)
    throw DataError(
        fmt::format("{}: {} tokens; allowed: at least {}, the shortest piece that is learned from; "
                    "choose a longer text, or another drafter.order or text.sequence_length",
                    path, tokens.size(), least_tokens));
  return tokens;
}

}  // namespace speclab::engines
