#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "sim/monte_carlo/process_fits.h"
#include "sim/system/errors.h"

namespace speclab::sim {
namespace {

constexpr int kMostIterations = 500;
constexpr double kLeastGain = 1e-7;
constexpr double kBorder = 1e-9;  // rates and chances of leaving stay so far from 0 and 1: beyond,
                                  // nothing could bring them back

using Pair = std::array<double, 2>;  ///< by state
using Text = std::vector<DraftVerdict>;

/// Expected counts of a text under given parameters.
struct Expectation {
  double log_likelihood = 0.0;
  Pair accepted{}, tested{};  ///< by state of the place
  Pair left{}, stood{};       ///< moves out of a state, and places from which there was a move
};

Pair emission(const TwoStateAcceptance& places, DraftVerdict verdict) {
  if (verdict == DraftVerdict::unknown) return {1.0, 1.0};
  const Pair& rate = places.acceptance_rate;
  return verdict == DraftVerdict::accepted ? rate : Pair{1.0 - rate[0], 1.0 - rate[1]};
}

/// Law of the next place's state, and back: the chance of what follows a state.
Pair moved(const TwoStateAcceptance& places, const Pair& law) {
  return {law[0] * (1.0 - places.easy_to_hard) + law[1] * places.hard_to_easy,
          law[0] * places.easy_to_hard + law[1] * (1.0 - places.hard_to_easy)};
}
Pair moved_back(const TwoStateAcceptance& places, const Pair& chance) {
  return {(1.0 - places.easy_to_hard) * chance[0] + places.easy_to_hard * chance[1],
          places.hard_to_easy * chance[0] + (1.0 - places.hard_to_easy) * chance[1]};
}

/// Scaled forward-backward pass. @param forward  work space: law of each place's state, given the
/// verdicts up to it
void expect(const TwoStateAcceptance& places, const Text& text, std::vector<Pair>& forward,
            Expectation& sum) {
  forward.resize(text.size());
  Pair law{places.easy_share(), 1.0 - places.easy_share()};
  for (std::size_t token = 0; token < text.size(); ++token) {
    const Pair chance = emission(places, text[token]);
    const double scale = law[0] * chance[0] + law[1] * chance[1];
    forward[token] = {law[0] * chance[0] / scale, law[1] * chance[1] / scale};
    law = moved(places, forward[token]);
    sum.log_likelihood += std::log(scale);
  }
  Pair after{1.0, 1.0};  // chance of the verdicts behind a place by its state, up to a factor
  for (std::size_t token = text.size(); token-- > 0;) {
    const double scale = forward[token][0] * after[0] + forward[token][1] * after[1];
    const Pair posterior{forward[token][0] * after[0] / scale,
                         forward[token][1] * after[1] / scale};
    for (std::size_t state = 0; state < 2; ++state) {
      if (text[token] != DraftVerdict::unknown) sum.tested[state] += posterior[state];
      if (text[token] == DraftVerdict::accepted) sum.accepted[state] += posterior[state];
    }
    const Pair chance = emission(places, text[token]),
               weighted{after[0] * chance[0], after[1] * chance[1]};
    after = moved_back(places, weighted);
    if (token == 0) break;
    const Pair& before = forward[token - 1];
    const double both = before[0] * after[0] + before[1] * after[1];
    const Pair leave{before[0] * places.easy_to_hard * weighted[1] / both,
                     before[1] * places.hard_to_easy * weighted[0] / both};
    for (std::size_t state = 0; state < 2; ++state) {
      sum.left[state] += leave[state];
      sum.stood[state] += before[state] * after[state] / both;
    }
    const double largest = std::max(after[0], after[1]);
    after = {after[0] / largest, after[1] / largest};
  }
}

double inside(double probability) { return std::clamp(probability, kBorder, 1.0 - kBorder); }

TwoStateFit climb(const std::vector<Text>& texts, const TwoStateAcceptance& start,
                  double least_gain) {
  TwoStateFit best{.places = start, .log_likelihood = -std::numeric_limits<double>::infinity()};
  TwoStateAcceptance places = start;
  std::vector<Pair> forward;
  for (int iteration = 1; iteration <= kMostIterations; ++iteration) {
    Expectation sum;
    for (const Text& text : texts) expect(places, text, forward, sum);
    const double gain = sum.log_likelihood - best.log_likelihood;
    if (gain > 0.0)
      best = {.places = places, .log_likelihood = sum.log_likelihood, .iterations = iteration};
    if (gain < least_gain) break;
    for (std::size_t state = 0; state < 2; ++state)
      places.acceptance_rate[state] = inside(sum.accepted[state] / sum.tested[state]);
    places.easy_to_hard = inside(sum.left[0] / sum.stood[0]);
    places.hard_to_easy = inside(sum.left[1] / sum.stood[1]);
  }
  return best;
}

/// All texts, and the share of accepted drafts in them.
double pooled_rate(const std::vector<Text>& texts) {
  std::size_t accepted = 0, rejected = 0;
  for (const Text& text : texts) {
    accepted += static_cast<std::size_t>(std::ranges::count(text, DraftVerdict::accepted));
    rejected += static_cast<std::size_t>(std::ranges::count(text, DraftVerdict::rejected));
  }
  if (accepted == 0 || rejected == 0)
    throw DataError("two states cannot be fitted to " + std::to_string(accepted) +
                    " accepted and " + std::to_string(rejected) +
                    " rejected drafts; both are needed");
  return static_cast<double>(accepted) / static_cast<double>(accepted + rejected);
}

std::vector<Text> texts_of(std::span<const LoggedGeneration> log) {
  if (log.empty()) throw DataError("the trace is empty; a fit needs at least one generation");
  std::vector<Text> texts;
  for (const LoggedGeneration& generation : log) texts.push_back(verdicts_of(generation));
  return texts;
}

/// The state of the higher rate first.
TwoStateFit ordered(TwoStateFit fit) {
  if (fit.places.acceptance_rate[0] < fit.places.acceptance_rate[1]) {
    std::swap(fit.places.acceptance_rate[0], fit.places.acceptance_rate[1]);
    std::swap(fit.places.easy_to_hard, fit.places.hard_to_easy);
  }
  return fit;
}

}  // namespace

TwoStateFit fit_two_state(std::span<const LoggedGeneration> log) {
  const std::vector<Text> texts = texts_of(log);
  const double rate = pooled_rate(texts);
  TwoStateFit best{.places = {}, .log_likelihood = -std::numeric_limits<double>::infinity()};
  for (const double leave : {0.05, 0.2, 0.5}) {
    const TwoStateAcceptance start{.acceptance_rate = {rate + 0.5 * (1.0 - rate), 0.5 * rate},
                                   .easy_to_hard = leave,
                                   .hard_to_easy = leave};
    const TwoStateFit fit = climb(texts, start, kLeastGain);
    if (fit.log_likelihood > best.log_likelihood) best = fit;
  }
  return ordered(best);
}

TwoStateFit fit_two_state_from(const TwoStateAcceptance& start, double least_gain,
                               std::span<const LoggedGeneration> log) {
  const std::vector<Text> texts = texts_of(log);
  static_cast<void>(pooled_rate(texts));  // throws where both verdicts are not there
  return ordered(climb(texts, start, least_gain));
}

}  // namespace speclab::sim
