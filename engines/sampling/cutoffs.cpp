#include "engines/sampling/cutoffs.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/core/vector_math.h"

namespace speclab::engines {
namespace {

template <typename Scalar>
bool more_likely(const LawEntry<Scalar>& a, const LawEntry<Scalar>& b) {
  return a.probability > b.probability || (a.probability == b.probability && a.token < b.token);
}

/// Whether any of one block of values is at least `least`. It has no branches: nearly all blocks of
/// a large vocabulary have none.
template <typename Scalar>
bool any_reaches(const Scalar* block, Scalar least) {
  unsigned any = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) any |= block[lane] >= least ? 1U : 0U;
  return any != 0;
}

}  // namespace

template <typename Scalar>
bool Cutoffs<Scalar>::any() const {
  return options_.top_k > 0 || options_.top_p < 1.0 || options_.min_p > 0.0 ||
         options_.typical_p < 1.0 || options_.epsilon_cutoff > 0.0 || options_.eta_cutoff > 0.0;
}

template <typename Scalar>
void Cutoffs<Scalar>::apply(std::span<const Scalar> probabilities, BasicLaw<Scalar>& law) {
  kept_.clear();
  if (options_.top_k > 0) keep_top_k(probabilities);
  if (options_.top_p < 1.0) keep_top_p(probabilities);
  if (kept_.empty()) gather(probabilities, Scalar(0));
  if (options_.min_p > 0.0) keep_likely(options_.min_p * largest() / kept_mass());
  if (options_.typical_p < 1.0) keep_typical();
  if (options_.epsilon_cutoff > 0.0) keep_likely(options_.epsilon_cutoff);
  if (options_.eta_cutoff > 0.0)
    keep_likely(
        std::min(options_.eta_cutoff, std::sqrt(options_.eta_cutoff) * std::exp(-entropy())));
  const auto scale = static_cast<Scalar>(1.0 / kept_mass());
  for (Entry& entry : kept_) entry.probability *= scale;
  law.assign_sparse(probabilities.size(), kept_);
}

template <typename Scalar>
void Cutoffs<Scalar>::gather(std::span<const Scalar> probabilities, Scalar least) {
  kept_.clear();
  for (std::size_t begin = 0; begin < probabilities.size(); begin += kLanes) {
    const std::size_t end = std::min(begin + kLanes, probabilities.size());
    if (end - begin == kLanes && !any_reaches(&probabilities[begin], least)) continue;
    for (std::size_t i = begin; i < end; ++i)
      if (probabilities[i] >= least && probabilities[i] > 0)
        kept_.push_back({static_cast<Token>(i), probabilities[i]});
  }
}

template <typename Scalar>
double Cutoffs<Scalar>::kept_mass() const {
  double total = 0;
  for (const Entry& entry : kept_) total += static_cast<double>(entry.probability);
  return total;
}

template <typename Scalar>
double Cutoffs<Scalar>::largest() const {
  return static_cast<double>(std::ranges::max(kept_, {}, &Entry::probability).probability);
}

template <typename Scalar>
template <typename IsEnough>
void Cutoffs<Scalar>::gather_likeliest(std::span<const Scalar> probabilities,
                                       const IsEnough& is_enough) {
  constexpr double kFall = 1.0 / 64;
  for (Scalar least = probabilities[index_of_max(probabilities)];
       least > 0 && (kept_.empty() || !is_enough());) {
    least = static_cast<Scalar>(least * kFall);
    gather(probabilities, least);
  }
}

template <typename Scalar>
void Cutoffs<Scalar>::keep_top_k(std::span<const Scalar> probabilities) {
  const auto k = static_cast<std::size_t>(options_.top_k);
  gather_likeliest(probabilities, [&] { return kept_.size() >= k; });
  if (kept_.size() <= k) return;
  order_.clear();
  for (const Entry& entry : kept_) order_.push_back(entry.probability);
  const auto kth = order_.begin() + static_cast<std::ptrdiff_t>(k) - 1;
  std::nth_element(order_.begin(), kth, order_.end(), std::greater<>());
  std::erase_if(kept_, [&](const Entry& entry) { return entry.probability < *kth; });
}

/// The smallest set, in falling order, whose mass reaches top_p.
template <typename Scalar>
void Cutoffs<Scalar>::keep_top_p(std::span<const Scalar> probabilities) {
  const bool is_whole = kept_.empty();
  const double wanted = options_.top_p * (is_whole ? sum(probabilities) : kept_mass());
  if (is_whole) gather_likeliest(probabilities, [&] { return kept_mass() >= wanted; });
  std::sort(kept_.begin(), kept_.end(), more_likely<Scalar>);
  double reached = 0;
  std::size_t count = 0;
  while (count < kept_.size() && reached < wanted)
    reached += static_cast<double>(kept_[count++].probability);
  kept_.resize(std::max<std::size_t>(count, 1));
}

template <typename Scalar>
void Cutoffs<Scalar>::keep_likely(double share) {
  const double best = largest();
  const double least = std::min(share * kept_mass(), best);
  std::erase_if(kept_,
                [&](const Entry& entry) { return static_cast<double>(entry.probability) < least; });
}

template <typename Scalar>
double Cutoffs<Scalar>::entropy() const {
  const double mass = kept_mass();
  double total = 0;
  for (const Entry& entry : kept_) {
    const double p = static_cast<double>(entry.probability) / mass;
    total -= p * std::log(p);
  }
  return total;
}

/// Tokens whose surprise is nearest to the entropy, until they have the mass.
/// @source Meister et al. 2022, Locally Typical Sampling, as in generate()
template <typename Scalar>
void Cutoffs<Scalar>::keep_typical() {
  const double mass = kept_mass(), expected = entropy();
  const auto distance = [&](const Entry& entry) {
    return std::abs(-std::log(static_cast<double>(entry.probability) / mass) - expected);
  };
  std::ranges::sort(kept_, {}, distance);
  double reached = 0;
  std::size_t count = 0;
  while (count < kept_.size() &&
         (reached += static_cast<double>(kept_[count].probability) / mass) < options_.typical_p)
    ++count;
  const double farthest = distance(kept_[std::min(count, kept_.size() - 1)]);
  std::erase_if(kept_, [&](const Entry& entry) { return distance(entry) > farthest; });
}

template class Cutoffs<float>;
template class Cutoffs<double>;

}  // namespace speclab::engines
