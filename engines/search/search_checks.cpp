#include "engines/search/search_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engines/models/memory_need.h"
#include "engines/sampling/score_processors.h"
#include "engines/search/beam_drafts.h"
#include "engines/search/forced_words.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using Form = std::vector<Token>;

bool begins_with(const Form& form, const Form& begin) {
  return form.size() >= begin.size() && std::equal(begin.begin(), begin.end(), form.begin());
}

void check_tokens(const Form& form, const ModelInfo& model) {
  if (form.empty())
    throw ConfigError("force_words_ids has a word without tokens; allowed: at least one token");
  for (const Token token : form)
    if (token < 0 || token >= model.vocab_size)
      throw ConfigError(fmt::format("force_words_ids has {}; allowed: 0 to {} ({}'s vocabulary)",
                                    token, model.vocab_size - 1, model.name));
}

void check_forms(const WordForms& forms, const ModelInfo& model) {
  if (forms.empty()) check_tokens({}, model);
  for (const Form& form : forms) check_tokens(form, model);
  for (std::size_t a = 0; a < forms.size(); ++a)
    for (std::size_t b = 0; b < forms.size(); ++b)
      if (a != b && begins_with(forms[b], forms[a]))
        throw ConfigError(fmt::format(
            "force_words_ids: the form {} of a word begins with its form {}; allowed: forms of "
            "which none begins with another; leave out the longer one",
            forms[b], forms[a]));
}

/// Whether rules let the tokens of a form from `first` on follow those before.
bool is_allowed(const Form& form, std::size_t first, const SamplingOptions& rules) {
  const auto is_banned = [&](std::size_t last) {
    const auto ends_with = [&](const Form& bad) {
      const bool is_end = bad.size() == 1 && std::ranges::find(rules.eos_token_ids, bad[0]) !=
                                                 rules.eos_token_ids.end();
      return !is_end && bad.size() <= last + 1 &&
             std::ranges::equal(bad, std::span(form).subspan(last + 1 - bad.size(), bad.size()));
    };
    return std::ranges::find(rules.suppress_tokens, form[last]) != rules.suppress_tokens.end() ||
           std::ranges::any_of(rules.rules.bad_words_ids, ends_with);
  };
  for (std::size_t last = first; last < form.size(); ++last)
    if (is_banned(last)) return false;
  return true;
}

/// Tokens that a word takes at least; a begun one goes on, or breaks off at one token and begins
/// anew. @throws ConfigError if the rules forbid all its forms
std::size_t least_tokens(const ForcedWords::Unmet& word, const SamplingOptions& rules) {
  std::vector<std::size_t> counts;
  const std::size_t begun = word.path.size();
  for (const Form& form : word.forms) {
    if (begun > 0 && begins_with(form, word.path) && is_allowed(form, begun, rules))
      counts.push_back(form.size() - begun);
    if (is_allowed(form, 0, rules)) counts.push_back(form.size() + (begun > 0 ? 1 : 0));
  }
  if (counts.empty())
    throw ConfigError(fmt::format(
        "force_words_ids: the word {} is forbidden by suppress_tokens or bad_words_ids in each of "
        "its forms; allowed: a form that they do not forbid",
        word.forms));
  return *std::ranges::min_element(counts);
}

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

void check_forced_words(const SearchOptions& search, const ModelInfo& model) {
  if (search.force_words_ids.empty()) return;
  if (search.num_beams < 2 || search.num_beam_groups != 1 || search.do_sample)
    throw ConfigError(fmt::format(
        "force_words_ids with num_beams = {}, num_beam_groups = {} and do_sample = {}; allowed: "
        "at least 2 beams in 1 group, and do_sample = false",
        search.num_beams, search.num_beam_groups, search.do_sample));
  for (const WordForms& forms : search.force_words_ids) check_forms(forms, model);
}

void check_room_for_words(const DecoderOptions& options, std::span<const Token> prompt) {
  ForcedWords words(options.search->force_words_ids);
  for (const Token token : prompt) words.add(token);
  std::size_t needed = 0;
  for (const ForcedWords::Unmet& word : words.unmet())
    needed += least_tokens(word, options.sampling);
  if (needed > static_cast<std::size_t>(options.stop.max_new_tokens))
    throw ConfigError(
        fmt::format("force_words_ids: words that the prompt lacks take {} tokens; allowed: "
                    "max_new_tokens = {}; "
                    "raise it, or leave out words",
                    needed, options.stop.max_new_tokens));
}

void check_search_options(const DecoderOptions& options, const ModelInfo& model,
                          const Tokenizer* tokenizer) {
  SPECLAB_EXPECT(options.verifier == DecoderOptions{}.verifier && !options.replay &&
                     !options.log_probabilities && !options.on_draft,
                 "a search takes no options of rounds");
  const SearchOptions& search = *options.search;
  if (search.num_beams > 1)
    check_beams(search);
  else if (search.force_words_ids.empty())
    check_contrast(search);
  check_forced_words(search, model);
  check_drafts(options);
  options.sampling.validate();
  if (search.do_sample && options.sampling.temperature == 0)
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
