#include "engines/ngrams/ngram_estimation.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/ngrams/ngram_arrays.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// What is taken off a count of one, of two, and of three or more.
/// @source Chen and Goodman 1999, Eq. 26: modified Kneser-Ney
class Discounts {
 public:
  /// From how many n-grams of the level have the counts one to four; where there are none of one of
  /// them, 0.75 of every count.
  /// @param boundary  the token that stands for the beginning of a text; n-grams behind it are left
  /// out
  Discounts(const NgramLevel& level, Token boundary);

  double of(std::uint32_t count) const { return by_count_[count < 3 ? count - 1 : 2]; }

 private:
  double by_count_[3] = {0.75, 0.75, 0.75};
};

Discounts::Discounts(const NgramLevel& level, Token boundary) {
  double num[4] = {};
  for (std::size_t c = 0; c < level.context_token.size(); ++c) {
    if (level.context_token[c] == boundary) continue;
    for (std::uint32_t i = level.begin[c]; i < level.begin[c + 1]; ++i)
      if (level.count[i] <= 4) ++num[level.count[i] - 1];
  }
  if (*std::min_element(num, num + 4) == 0) return;
  const double common = num[0] / (num[0] + 2 * num[1]);
  for (int i = 0; i < 3; ++i)
    by_count_[i] = std::clamp((i + 1) - (i + 2) * common * num[i + 1] / num[i], 0.05, i + 0.95);
}

/// What is stored of the n-grams of one order.
struct StoredLevel {
  std::vector<float> given;                ///< [n-grams], the probability that the model gives
  std::vector<float> back_off;             ///< [contexts]
  std::vector<std::uint32_t> begin{0};     ///< [contexts + 1], among the stored successors
  std::vector<Token> token;                ///< [stored successors]
  std::vector<std::uint16_t> probability;  ///< [stored successors], small floats
  std::vector<bool> wanted;                ///< [contexts]: it or a longer one has a successor
};

/// Fills a level's probabilities from those of the n-grams one shorter.
void interpolate(const NgramLevel& level, Token boundary, const std::vector<float>& shorter,
                 std::vector<float>& probabilities) {
  const Discounts discounts(level, boundary);
  probabilities.resize(level.token.size());
  for (std::size_t c = 0; c < level.context_token.size(); ++c) {
    if (level.context_token[c] == boundary) continue;
    double total = 0, taken = 0;
    for (std::uint32_t i = level.begin[c]; i < level.begin[c + 1]; ++i) {
      total += level.count[i];
      taken += discounts.of(level.count[i]);
    }
    for (std::uint32_t i = level.begin[c]; i < level.begin[c + 1]; ++i) {
      const double below =
          shorter.empty() ? 1.0 / boundary : static_cast<double>(shorter[level.shorter[i]]);
      probabilities[i] = static_cast<float>(
          (level.count[i] - discounts.of(level.count[i]) + taken * below) / total);
    }
  }
}

/// Of every n-gram that was counted, [order][n-grams]; 0 behind the beginning of a text.
std::vector<std::vector<float>> interpolated_probabilities(const std::vector<NgramLevel>& levels,
                                                           std::int32_t vocab_size) {
  std::vector<std::vector<float>> probabilities(levels.size());
  for (std::size_t n = 0; n < levels.size(); ++n)
    interpolate(levels[n], vocab_size, n == 0 ? std::vector<float>() : probabilities[n - 1],
                probabilities[n]);
  return probabilities;
}

class Estimation {
 public:
  Estimation(std::vector<NgramLevel> levels, std::int32_t vocab_size, const NgramOptions& options)
      : levels_(std::move(levels)),
        options_(options),
        boundary_(vocab_size),
        probabilities_(interpolated_probabilities(levels_, vocab_size)) {
    for (std::size_t n = 0; n < levels_.size(); ++n) store(n);
    for (std::size_t n = levels_.size(); n-- > 0;) mark_wanted(n);
  }

  NgramArrays arrays() const {
    NgramArrays arrays;
    arrays.vocab_size = boundary_;
    arrays.order = options_.order;
    arrays.max_successors = options_.max_successors;
    arrays.num_unigrams = static_cast<std::uint32_t>(stored_[0].token.size());
    for (std::size_t n = 0; n < levels_.size(); ++n) append(n, arrays);
    append_children(arrays);
    return arrays;
  }

 private:
  void store(std::size_t n) {
    const NgramLevel& level = levels_[n];
    StoredLevel& stored = stored_.emplace_back();
    stored.given.resize(level.token.size());
    for (std::size_t c = 0; c < level.context_token.size(); ++c) {
      if (level.context_token[c] != boundary_)
        store_context(n, c, stored);
      else
        stored.back_off.push_back(1);
      stored.begin.push_back(static_cast<std::uint32_t>(stored.token.size()));
    }
  }

  void store_context(std::size_t n, std::size_t c, StoredLevel& stored) {
    const NgramLevel& level = levels_[n];
    choose(n, c);
    double kept = 0, kept_below = 0;
    for (const std::uint32_t i : chosen_) {
      stored.token.push_back(level.token[i]);
      stored.probability.push_back(to_small_float(probabilities_[n][i]));
      stored.given[i] = from_small_float(stored.probability.back());
      kept += static_cast<double>(stored.given[i]);
      kept_below += given_below(n, i);
    }
    constexpr double kLeastRest = 1e-6;  // of rounding where every token is listed
    const double weight = std::max(1 - kept, 0.0) / std::max(1 - kept_below, kLeastRest);
    stored.back_off.push_back(kBackOffScale * from_small_float(to_small_float(
                                                  static_cast<float>(weight) / kBackOffScale)));
    for (std::uint32_t i = level.begin[c]; i < level.begin[c + 1]; ++i)
      if (stored.given[i] == 0)
        stored.given[i] = stored.back_off.back() * static_cast<float>(given_below(n, i));
  }

  double given_below(std::size_t n, std::uint32_t ngram) const {
    if (n == 0) return 1.0 / boundary_;
    return static_cast<double>(stored_[n - 1].given[levels_[n].shorter[ngram]]);
  }

  /// The n-grams that are stored of a context, in the order in which they are stored.
  void choose(std::size_t n, std::size_t c) {
    const NgramLevel& level = levels_[n];
    chosen_.clear();
    for (std::uint32_t i = level.begin[c]; i < level.begin[c + 1]; ++i)
      if (n < 2 || level.occurrences[i] >= static_cast<std::uint32_t>(options_.min_occurrences))
        chosen_.push_back(i);
    if (chosen_.size() <= 1) return;
    const auto code = [&](std::uint32_t i) { return to_small_float(probabilities_[n][i]); };
    std::sort(chosen_.begin(), chosen_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return code(a) > code(b) || (code(a) == code(b) && a < b);
    });
    if (n > 0)
      chosen_.resize(std::min(chosen_.size(), static_cast<std::size_t>(options_.max_successors)));
  }

  void mark_wanted(std::size_t n) {
    StoredLevel& stored = stored_[n];
    stored.wanted.resize(levels_[n].context_token.size());
    for (std::size_t c = 0; c < stored.wanted.size(); ++c)
      if (stored.begin[c + 1] > stored.begin[c]) stored.wanted[c] = true;
    if (n + 1 == levels_.size()) return;
    for (std::size_t c = 0; c < stored_[n + 1].wanted.size(); ++c)
      if (stored_[n + 1].wanted[c]) stored.wanted[levels_[n + 1].parent[c]] = true;
  }

  void append(std::size_t n, NgramArrays& arrays) const {
    const StoredLevel& stored = stored_[n];
    for (std::size_t c = 0; c < stored.wanted.size(); ++c) {
      if (!stored.wanted[c]) continue;
      arrays.context_tokens.push_back(static_cast<std::uint32_t>(levels_[n].context_token[c]));
      arrays.back_off.push_back(to_small_float(stored.back_off[c] / kBackOffScale));
      arrays.num_successors.push_back(
          static_cast<std::uint8_t>(n == 0 ? 0 : stored.begin[c + 1] - stored.begin[c]));
      for (std::uint32_t i = stored.begin[c]; i < stored.begin[c + 1]; ++i) {
        arrays.successor_tokens.push_back(static_cast<std::uint32_t>(stored.token[i]));
        arrays.probabilities.push_back(stored.probability[i]);
      }
    }
  }

  /// Contexts of a level stand in the order of their parents, so that those of one parent are
  /// neighbours.
  void append_children(NgramArrays& arrays) const {
    if (arrays.num_contexts() >= Packed24::kLimit)
      throw ConfigError(fmt::format(
          "{} contexts of n-grams; allowed: fewer than {}; raise min_occurrences or lower order",
          arrays.num_contexts(), Packed24::kLimit));
    std::uint32_t next = 1;
    for (std::size_t n = 0; n + 1 < levels_.size(); ++n) {
      std::vector<std::uint32_t> children(stored_[n].wanted.size());
      for (std::size_t c = 0; c < stored_[n + 1].wanted.size(); ++c)
        children[levels_[n + 1].parent[c]] += stored_[n + 1].wanted[c];
      for (std::size_t c = 0; c < children.size(); ++c) {
        if (!stored_[n].wanted[c]) continue;
        arrays.first_child.push_back(next);
        next += children[c];
      }
    }
    arrays.first_child.push_back(next);
  }

  std::vector<NgramLevel> levels_;
  NgramOptions options_;
  Token boundary_;
  std::vector<std::vector<float>> probabilities_;
  std::vector<StoredLevel> stored_;
  std::vector<std::uint32_t> chosen_;
};

void check(const char* field, std::int32_t value, std::int32_t low, std::int32_t high) {
  if (value < low || value > high)
    throw ConfigError(
        fmt::format("drafter.{} = {}; allowed: integers from {} to {}", field, value, low, high));
}

}  // namespace

void check_ngrams(const NgramOptions& options) {
  check("order", options.order, 1, NgramModel::kMaxOrder);
  check("max_successors", options.max_successors, 1, NgramModel::kMaxSuccessors);
  check("min_occurrences", options.min_occurrences, 1, 1'000'000);
}

NgramModel estimate_ngrams(std::span<const NgramText> texts, std::int32_t vocab_size,
                           const NgramOptions& options) {
  check_ngrams(options);
  return NgramModel(
      Estimation(count_ngrams(texts, vocab_size, options.order), vocab_size, options).arrays());
}

}  // namespace speclab::engines
