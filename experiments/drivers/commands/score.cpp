#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/drivers/commands/prompt.h"
#include "experiments/drivers/commands/tokenize.h"
#include "experiments/drivers/engines_loader.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::experiments {
namespace {

/// -log softmax(logits)[token], in double.
double negative_log_likelihood(std::span<const float> logits, Token token) {
  const double largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  return largest + std::log(sum) - static_cast<double>(logits[static_cast<std::size_t>(token)]);
}

/// Values for ids[1], ids[2], ...: each after all before it.
std::vector<double> score(engines::LanguageModel& model, const std::vector<Token>& ids) {
  constexpr std::size_t kChunk = 64;
  const auto cache = model.make_cache(1, static_cast<std::int32_t>(ids.size()));
  const std::int32_t slot = cache->begin();
  std::vector<double> values;
  for (std::size_t begin = 0; begin + 1 < ids.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, ids.size() - 1 - begin);
    std::vector<engines::ForwardRow> rows;
    std::vector<std::int32_t> path;
    for (std::size_t i = 0; i < count; ++i) {
      rows.push_back({ids[begin + i], static_cast<std::int32_t>(begin + i), slot,
                      static_cast<std::int32_t>(i) - 1});
      path.push_back(static_cast<std::int32_t>(i));
    }
    const engines::ForwardResult result = model.forward(rows, *cache);
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(negative_log_likelihood(result.row(i), ids[begin + i + 1]));
    cache->commit(slot, path);
  }
  return values;
}

std::string read_text(const std::string& path) {
  try {
    return read_file(path);
  } catch (const DataError& error) {
    throw ConfigError(fmt::format("--file: {}", error.what()));
  }
}

}  // namespace

int run_score(const ScoreOptions& options) {
  const std::string text = read_text(options.file);
  const auto engines = open_engines();
  const engines::LoadedModel loaded = engines->load_model(options.common.model);
  if (!loaded.tokenizer) throw ConfigError("this model has no tokenizer; score needs one");
  check_text_size("--file", text.size(), loaded.model->info());
  const std::vector<Token> ids = loaded.tokenizer->encode_whole(text);
  warn_of_dropped_bytes(loaded.tokenizer->num_bytes_without_token(text));
  const std::int32_t context = loaded.model->info().context_length;
  if (ids.size() < 2)
    throw ConfigError(fmt::format("{}: {} tokens; allowed: at least 2", options.file, ids.size()));
  if (ids.size() > static_cast<std::size_t>(context))
    throw ConfigError(
        fmt::format("{}: {} tokens; allowed: at most the context of {}; shorten the file",
                    options.file, ids.size(), context));
  const std::vector<double> values = score(*loaded.model, ids);
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  if (options.common.json) {
    const nlohmann::ordered_json object = {{"ids", ids},
                                           {"tokens", values.size()},
                                           {"mean_negative_log_likelihood", mean},
                                           {"values", values}};
    fmt::print("{}\n", object.dump());
  } else {
    fmt::print("{} tokens scored; mean negative log-likelihood {:.6f} nats; perplexity {:.4f}\n",
               values.size(), mean, std::exp(mean));
  }
  return 0;
}

}  // namespace speclab::experiments
