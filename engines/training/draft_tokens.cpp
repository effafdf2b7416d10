#include "engines/training/draft_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engines/formats/json_file.h"
#include "engines/models/decoder_shape.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

std::string config_of(const DistillationOptions& options) {
  return options.vocabulary_from + "/config.json";
}

std::vector<Token> vocabulary_of(const JsonNode& config, std::int32_t vocab_size) {
  return read_draft_vocabulary(config.at("draft_vocabulary"), vocab_size);
}

void check_file(const DistillationOptions& options) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(config_of(options), none))
    throw ConfigError(
        fmt::format("drafter.vocabulary_from = '{}' has no config.json; allowed: the folder of a "
                    "drafter that speclab train made to read hidden states",
                    escaped(options.vocabulary_from)));
}

void check_fits(const JsonNode& config, const std::string& path, const ModelInfo& target) {
  const auto sha256 = config.find("target_sha256");
  if (!config.find("draft_vocabulary") || !sha256)
    throw ConfigError(fmt::format(
        "drafter.vocabulary_from: {} has no draft_vocabulary or no target_sha256; allowed: the "
        "folder of a drafter that speclab train made to read hidden states",
        escaped(path)));
  if (sha256->as_string() != target.sha256)
    throw ConfigError(
        fmt::format("drafter.vocabulary_from: {} was trained for a target of SHA-256 {}; this one "
                    "has {}; name a drafter of this one, or leave the key out",
                    escaped(path), escaped(sha256->as_string()), target.sha256));
}

}  // namespace

std::vector<Token> frequent_tokens(std::span<const OwnText* const> texts, std::int32_t vocab_size,
                                   std::int32_t count) {
  std::vector<double> weight(static_cast<std::size_t>(vocab_size), 0.0);
  for (const OwnText* text : texts) {
    for (std::size_t i = static_cast<std::size_t>(text->prompt_length); i < text->tokens.size();
         ++i)
      weight[static_cast<std::size_t>(text->tokens[i])] += 1;
    for (const TopLaw& law : text->laws)
      for (std::size_t k = 0; k < TopLaw::kSize; ++k)
        weight[static_cast<std::size_t>(law.tokens[k])] +=
            static_cast<double>(law.probabilities[k]);
  }
  std::vector<Token> tokens(static_cast<std::size_t>(vocab_size));
  std::iota(tokens.begin(), tokens.end(), 0);
  std::stable_sort(tokens.begin(), tokens.end(), [&](Token a, Token b) {
    return weight[static_cast<std::size_t>(a)] > weight[static_cast<std::size_t>(b)];
  });
  tokens.resize(static_cast<std::size_t>(count));
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

void check_vocabulary_from(const DistillationOptions& options, const ModelInfo& target) {
  if (options.vocabulary_from.empty()) return;
  if (!options.start_from.empty())
    throw ConfigError(
        "drafter.vocabulary_from beside drafter.start_from, which brings its own draft vocabulary; "
        "give one of them");
  check_file(options);
  const std::string path = config_of(options);
  const nlohmann::json json = read_json_file(path);
  const JsonNode config(json, path);
  check_fits(config, path, target);
  const std::size_t found = vocabulary_of(config, target.vocab_size).size();
  if (found != static_cast<std::size_t>(options.draft_vocabulary))
    throw ConfigError(fmt::format(
        "drafter.draft_vocabulary = {}; allowed: {}, as in {}, which drafter.vocabulary_from names",
        options.draft_vocabulary, found, escaped(path)));
}

std::vector<Token> draft_tokens(std::span<const OwnText* const> texts, std::int32_t vocab_size,
                                const DistillationOptions& options) {
  if (options.vocabulary_from.empty())
    return frequent_tokens(texts, vocab_size, options.draft_vocabulary);
  const std::string path = config_of(options);
  const nlohmann::json json = read_json_file(path);
  return vocabulary_of(JsonNode(json, path), vocab_size);
}

}  // namespace speclab::engines
