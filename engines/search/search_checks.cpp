#include "engines/search/search_checks.h"

#include <fmt/format.h>

#include <cmath>

#include "engines/models/memory_need.h"
#include "engines/sampling/score_processors.h"
#include "engines/search/beam_drafts.h"
#include "engines/search/forced_word_checks.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr std::int32_t kMostRows = 1024;  ///< of a step
// Scores stay numbers within these.
constexpr double kMostLengthPenalty = 50, kMostDiversityPenalty = 1e30;

[[noreturn]] void refuse(const char* field, double value, const std::string& allowed) {
  throw ConfigError(fmt::format("{} = {}; allowed: {}", field, value, allowed));
}

void check_beams(const SearchOptions& o) {
  if (o.num_beams < 1 || o.num_beams > kMostRows)
    refuse("num_beams", o.num_beams, fmt::format("integers from 1 to {}", kMostRows));
  if (o.num_beam_groups < 1 || o.num_beams % o.num_beam_groups != 0)
    refuse("num_beam_groups", o.num_beam_groups,
           fmt::format("integers that divide num_beams = {}", o.num_beams));
  if (o.num_return_sequences < 1 || o.num_return_sequences > o.num_beams)
    refuse("num_return_sequences", o.num_return_sequences,
           fmt::format("integers from 1 to num_beams = {}", o.num_beams));
  if (!(std::abs(o.length_penalty) <= kMostLengthPenalty))
    refuse("length_penalty", o.length_penalty, "numbers from -50 to 50");
  if (!(o.diversity_penalty >= 0 && o.diversity_penalty <= kMostDiversityPenalty))
    refuse("diversity_penalty", o.diversity_penalty, "numbers from 0 to 1e30");
}

void check_contrast(const SearchOptions& o) {
  if (!(o.penalty_alpha > 0 && o.penalty_alpha <= 1))
    refuse("penalty_alpha", o.penalty_alpha, "numbers above 0, at most 1");
  if (o.top_k < 2 || o.top_k > kMostRows)
    refuse("top_k", o.top_k, fmt::format("integers from 2 to {}", kMostRows));
}

}  // namespace

void check_search_options(const SearchOptions& options, const ModelInfo& model,
                          const Tokenizer* tokenizer) {
  if (options.num_beams > 1)
    check_beams(options);
  else if (options.force_words_ids.empty())
    check_contrast(options);
  check_forced_words(options, model);
  check_drafts(options);
  options.sampling.validate();
  if (options.do_sample && options.sampling.temperature == 0)
    refuse("temperature", 0, "above 0 with do_sample");
  if (changes_scores(options.sampling))
    options.sampling.check_tokens(static_cast<std::size_t>(model.vocab_size), model.name);
  if (options.stop.max_new_tokens < 1)
    refuse("max_new_tokens", options.stop.max_new_tokens, "integers >= 1");
  if (!options.stop.stop_strings.empty() && tokenizer == nullptr)
    throw ConfigError("stop strings need a model with a tokenizer");
}

void require_memory_for_cache(const ModelInfo& model, std::int64_t tokens, std::int32_t rows,
                              std::int64_t other_bytes) {
  constexpr std::int64_t kMostTokens = 1 << 30;
  if (tokens > kMostTokens)
    throw ConfigError(
        fmt::format("{} tokens for {} rows a step; allowed: {}; take fewer beams, or "
                    "lower max_new_tokens",
                    tokens, rows, kMostTokens));
  const std::int64_t needed = tokens * model.cache_bytes_per_token + other_bytes;
  const std::optional<std::int64_t> available = available_memory();
  if (available && model.device == "cpu" && needed > *available)
    throw ConfigError(fmt::format(
        "a cache of '{}' of {} tokens for {} rows a step takes {:.1f} GB{}; allowed: {:.1f} GB, "
        "which are available; take fewer beams, or lower max_new_tokens",
        escaped(model.name, 100), tokens, rows, static_cast<double>(needed) * 1e-9,
        other_bytes > 0 ? ", other caches and states included" : "",
        static_cast<double>(*available) * 1e-9));
}

}  // namespace speclab::engines
