#pragma once
// Sampled twins of the closed forms: the mechanism that a formula describes, played out with dice.

#include <functional>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace speclab::testing {

/// What a twin is played with.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// In [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  int integer(int low, int high) { return low + static_cast<int>(uniform() * (high - low + 1)); }
  bool coin(double probability) { return uniform() < probability; }
  /// Index drawn by weights that need not be normalised.
  std::size_t draw(std::span<const double> weights);
  double beta(double a, double b);
  /// A law over `size` tokens, all of them possible.
  std::vector<double> law(int size);
  /// Falling chances that sum to at most `total`.
  std::vector<double> ranks(int size, double total);

 private:
  std::mt19937_64 engine_;
};

/// A closed form at one setting: the mean of `sample` is `expected`, and an error is measured in
/// units of `scale`.
struct Setting {
  double expected = 0.0;
  double scale = 1.0;
  std::function<double(Dice&)> sample;
};

/// A setting whose errors are relative to its own value.
inline Setting relative(double expected, std::function<double(Dice&)> sample) {
  return {expected, expected, std::move(sample)};
}

/// The first setting whose expected value is at least 0.3: rarer events need many more samples for
/// the same relative error.
template <typename Make>
Setting likely(Dice& dice, Make make) {
  Setting setting = make(dice);
  while (setting.expected < 0.3) setting = make(dice);
  return setting;
}

struct Twin {
  std::string name;  ///< the closed form's identifier, and a word on the side of it that is played
  std::function<Setting(Dice&)> setting;
};

inline void PrintTo(const Twin& twin, std::ostream* out) { *out << twin.name; }

/// Of the likely settings that `make` makes.
template <typename Make>
Twin likely_twin(std::string name, Make make) {
  return {std::move(name), [make](Dice& dice) { return likely(dice, make); }};
}

std::vector<Twin> chain_twins();
std::vector<Twin> one_token_twins();
std::vector<Twin> candidate_twins();
std::vector<Twin> tree_twins();
std::vector<Twin> schedule_twins();
std::vector<Twin> batch_twins();

/// Drafts accepted in a row, at most `length`.
inline int accepted_run(Dice& dice, double acceptance_rate, int length) {
  int accepted = 0;
  while (accepted < length && dice.coin(acceptance_rate)) ++accepted;
  return accepted;
}

}  // namespace speclab::testing
