#include "experiments/drivers/verify/verification.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <type_traits>

#include "engines/interface/sampling_rows.h"
#include "sim/core/rng_stream.h"
#include "sim/statistics/distributions.h"

namespace speclab::experiments {
namespace {

constexpr int kTests = 4;
constexpr std::size_t kMostBins = 16;
constexpr std::size_t kClassBins = 8;
constexpr double kScoresToSee = 5.64 + 4.75;  ///< deviations at which Chernoff's bound is the
                                              ///< level, and normal score of the odds of a miss
/// Exponents of the bound.
constexpr double kTilts[] = {-4.0, -2.0, -1.0, -0.5, -0.25, -0.12, -0.06, -0.03, 0.03, 0.06,
                             0.12, 0.2,  0.3,  0.4,  0.5,   0.6,   0.7,   0.8,   0.9};
constexpr double kLeastExpected = 100.0;  ///< a cell, for tails of 1e-7 to be true

/// Counts of uniform numbers by class, each class over equal bins; classes too small to say
/// anything are left out.
class UniformTest {
 public:
  UniformTest(const char* name, std::size_t classes, std::size_t bins)
      : name_(name), counts_(classes, std::vector<double>(bins)) {}

  void add(std::size_t which, double uniform) {
    std::vector<double>& bins = counts_[std::min(which, counts_.size() - 1)];
    ++bins[std::min(static_cast<std::size_t>(uniform * static_cast<double>(bins.size())),
                    bins.size() - 1)];
  }

  LawTest result() const {
    double statistic = 0.0, total = 0.0;
    int degrees = 0;
    for (const std::vector<double>& bins : counts_) {
      const std::vector<double> merged = merge(bins);
      const double n = sum(merged), expected = n / static_cast<double>(merged.size());
      if (merged.size() < 2) continue;
      for (const double count : merged)
        statistic += (count - expected) * (count - expected) / expected;
      degrees += static_cast<int>(merged.size()) - 1;
      total += n;
    }
    if (degrees == 0) return {name_};
    const double alpha = kFalseAlarm / kTests;
    const double noncentrality = sim::chi_squared_noncentrality(degrees, alpha, kMissOdds);
    return {name_, sim::chi_squared_tail(statistic, degrees),
            std::min(1.0, std::sqrt(noncentrality / (4.0 * total)))};
  }

 private:
  static double sum(const std::vector<double>& values) {
    double total = 0.0;
    for (const double value : values) total += value;
    return total;
  }
  /// Neighbours together until each bin expects enough.
  static std::vector<double> merge(std::vector<double> bins) {
    while (bins.size() > 1 && sum(bins) / static_cast<double>(bins.size()) < kLeastExpected) {
      std::vector<double> halves;
      for (std::size_t i = 0; i + 1 < bins.size(); i += 2) halves.push_back(bins[i] + bins[i + 1]);
      bins = halves;
    }
    return bins;
  }

  const char* name_;
  std::vector<std::vector<double>> counts_;
};

/// A law as a verification sees it at the token that was emitted.
struct LawPlace {
  double before = 0.0;  ///< mass of likelier tokens, equal ones of lower id included
  double probability = 0.0;
  double entropy = 0.0, variance = 0.0;  ///< mean and variance of the surprise -log p, nats
  std::array<double, std::size(kTilts)> cumulants{};  ///< log of the mean of exp(tilt * surprise)
};

LawPlace place_of(const std::vector<double>& law, Token token) {
  LawPlace place;
  const auto index = static_cast<std::size_t>(token);
  place.probability = law[index];
  double square = 0.0;
  for (std::size_t i = 0; i < law.size(); ++i) {
    if (!(law[i] > 0.0)) continue;
    if (law[i] > place.probability || (law[i] == place.probability && i < index))
      place.before += law[i];
    const double surprise = -std::log(law[i]);
    place.entropy += law[i] * surprise;
    square += law[i] * surprise * surprise;
    for (std::size_t tilt = 0; tilt < std::size(kTilts); ++tilt)
      place.cumulants[tilt] += law[i] * std::exp(kTilts[tilt] * surprise);
  }
  for (double& cumulant : place.cumulants) cumulant = std::log(cumulant);
  place.variance = std::max(0.0, square - place.entropy * place.entropy);
  return place;
}

class Statistics {
 public:
  explicit Statistics(std::uint64_t seed) : stream_(seed) {}

  /// @param accepted  by the round before, where this is the first token of a round and not of the
  /// text
  void add(const LawPlace& place, std::optional<std::size_t> accepted) {
    const double point =
        stream_.uniform({0, static_cast<std::uint32_t>(tokens_++), Purpose::order, 0});
    const double uniform = std::min(place.before + point * place.probability, 1.0);
    places_.add(0, uniform);
    if (accepted) {
      after_last_token_.add(static_cast<std::size_t>(last_uniform_ * kClassBins), uniform);
      after_length_.add(*accepted, uniform);
    }
    surprise_ += -std::log(place.probability);
    variance_ += place.variance;
    for (std::size_t tilt = 0; tilt < std::size(kTilts); ++tilt)
      cumulants_[tilt] += place.cumulants[tilt];
    last_uniform_ = uniform;
  }

  std::vector<LawTest> tests() const {
    return {places_.result(), after_last_token_.result(), after_length_.result(), surprise()};
  }

 private:
  LawTest surprise() const {
    if (static_cast<double>(tokens_) < kLeastExpected || !(variance_ > 0.0))
      return {"mean surprise"};
    double upper = 0.0, lower = 0.0;  // logarithms of the bounds of either tail
    for (std::size_t tilt = 0; tilt < std::size(kTilts); ++tilt) {
      double& bound = kTilts[tilt] > 0.0 ? upper : lower;
      bound = std::min(bound, cumulants_[tilt] - kTilts[tilt] * surprise_);
    }
    return {"mean surprise", std::min(1.0, 2.0 * std::exp(std::min(upper, lower))),
            kScoresToSee * std::sqrt(variance_) / static_cast<double>(tokens_), "nats a token"};
  }

  RngStream stream_;
  std::int64_t tokens_ = 0;
  double last_uniform_ = 0.0, surprise_ = 0.0, variance_ = 0.0;
  std::array<double, std::size(kTilts)> cumulants_{};
  UniformTest places_{"places of the tokens", 1, kMostBins};
  UniformTest after_last_token_{"first token of a round, by the token before", kClassBins,
                                kClassBins};
  UniformTest after_length_{"first token of a round, by what the last accepted", 5, kClassBins};
};

/// Cutoffs a hundred-thousandth wider: the decoder cuts in float, the law here in double.
engines::SamplingOptions widened(engines::SamplingOptions sampling) {
  constexpr double kEdge = 1e-5;
  engines::for_each_sampling_row([&](const auto& row) {
    auto& value = sampling.*row.member;
    if constexpr (std::is_same_v<decltype(value), double&>)
      if (row.is_cutoff)
        value = &row.range == &engines::ranges::kMass ? std::min(1.0, value + kEdge)
                                                      : value * (1.0 - kEdge);
  });
  return sampling;
}

/// For each token of the output, what the round before accepted if the token is the first of its
/// round.
std::vector<std::optional<std::size_t>> round_begins(const SampledText& sampled) {
  std::vector<std::optional<std::size_t>> begins(sampled.text.ids.size() -
                                                 sampled.text.prompt_length);
  std::size_t at = 0;
  for (std::size_t round = 0; round + 1 < sampled.emitted.size(); ++round) {
    at += static_cast<std::size_t>(sampled.emitted[round]);
    if (at < begins.size()) begins[at] = static_cast<std::size_t>(sampled.emitted[round] - 1);
  }
  return begins;
}

}  // namespace

bool SampledLaw::fits() const {
  return impossible == 0 && std::ranges::all_of(tests, [](const LawTest& test) {
           return !test.p || *test.p >= kFalseAlarm / kTests;
         });
}

SampledLaw test_sampled_law(const engines::Engines& engines, engines::LanguageModel& model,
                            const engines::SamplingOptions& sampling,
                            const std::vector<SampledText>& texts, std::uint64_t seed,
                            const TokensDone& done) {
  SampledLaw result;
  Statistics statistics(seed);
  std::vector<double> row;
  for (const SampledText& sampled : texts) {
    const auto begins = round_begins(sampled);
    visit_plain_logits(model, sampled.text, [&](std::size_t index, std::span<const float> logits) {
      row.assign(logits.begin(), logits.end());
      const auto prefix = std::span(sampled.text.ids).first(index);
      const Token token = sampled.text.ids[index];
      const LawPlace place = place_of(engines.law(sampling, row, prefix), token);
      ++result.tokens;
      if (place.probability > 0.0)
        statistics.add(place, begins[index - sampled.text.prompt_length]);
      else if (engines.law(widened(sampling), row, prefix)[static_cast<std::size_t>(token)] > 0.0)
        ++result.at_the_edge;
      else
        ++result.impossible;
    });
    done(sampled.text.output_length());
  }
  result.tests = statistics.tests();
  return result;
}

}  // namespace speclab::experiments
