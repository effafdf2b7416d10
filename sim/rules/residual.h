#pragma once
// The rest of the target's law at one node, after drafted children were rejected.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "sim/core/law.h"
#include "sim/core/law_sampling.h"
#include "sim/core/vector_math.h"

namespace speclab {

/// Starts as the target's law p and becomes norm max(0, r - q) with every rejection. The weights
/// cover p's support only; they stay unnormalised, and their mass is kept. Nothing is copied before
/// the first rejection, and a point mass is never copied.
template <typename Scalar>
class Residual {
 public:
  /// @param target   outlives this object
  /// @param scratch  storage of the weights
  Residual(const BasicLaw<Scalar>& target, std::vector<Scalar>& scratch)
      : target_(target), weights_(scratch) {}

  std::size_t vocab_size() const { return target_.vocab_size(); }

  double operator[](Token token) const {
    if (!reduced_) return static_cast<double>(target_[token]);
    const std::size_t index = index_of(token);
    return index == weights_.size() ? 0.0 : static_cast<double>(weights_[index]) / mass_;
  }

  /// Becomes norm max(0, r - q * q_scale).
  void subtract(const BasicLaw<Scalar>& q, double q_scale) {
    if (q.form() != BasicLaw<Scalar>::Form::dense) return subtract_entries(q.entries(), q_scale);
    if (is_point_mass()) return;
    const auto scale = static_cast<Scalar>(q_scale);
    if (target_.form() == BasicLaw<Scalar>::Form::dense)
      return set_mass(subtract_dense(q.dense_values(), scale));
    load();
    const auto entries = target_.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) lower(i, q[entries[i].token] * scale);
    set_mass(sum(std::span<const Scalar>(weights_)));
  }

  /// Becomes norm max(0, r - q * q_scale) for a law q given by its entries.
  void subtract_entries(std::span<const LawEntry<Scalar>> entries, double q_scale) {
    if (is_point_mass()) return;
    load();
    for (const auto& entry : entries)
      lower(index_of(entry.token), entry.probability * static_cast<Scalar>(q_scale));
    set_mass(sum(std::span<const Scalar>(weights_)));
  }

  /// Turns the untouched law p into norm (p - min(q, p/rho) * share). The difference must not be
  /// negative.
  void subtract_minimum(const BasicLaw<Scalar>& q, double rho, double share) {
    if (is_point_mass()) return;
    if (q.form() == BasicLaw<Scalar>::Form::dense &&
        target_.form() == BasicLaw<Scalar>::Form::dense) {
      weights_.resize(q.vocab_size());
      return set_mass(rest_beyond_minimum(target_.dense_values().data(),
                                          static_cast<Scalar>(1.0 / rho), q.dense_values(),
                                          static_cast<Scalar>(share), weights_.data()));
    }
    load();
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const double p = static_cast<double>(weights_[i]);
      const double kept = std::min(static_cast<double>(q[support_token(target_, i)]), p / rho);
      weights_[i] = static_cast<Scalar>(std::max(0.0, p - kept * share));
    }
    set_mass(sum(std::span<const Scalar>(weights_)));
  }

  template <ChanceSource Chance>
  Token sample(const StreamKey& key, Chance& chance) {
    if (!reduced_) return speclab::sample(target_, key, chance, weights_);
    return support_token(target_, chance.categorical(key, std::span<const Scalar>(weights_)));
  }

 private:
  /// True for a point mass, which no rejection changes: its own token is never rejected.
  bool is_point_mass() const { return target_.form() == BasicLaw<Scalar>::Form::point_mass; }

  /// Index of `token` in the weights; weights_.size() if it is outside the support.
  std::size_t index_of(Token token) const {
    if (target_.form() == BasicLaw<Scalar>::Form::dense) return static_cast<std::size_t>(token);
    const auto entries = target_.entries();
    const auto entry = std::lower_bound(entries.begin(), entries.end(), token,
                                        [](const auto& e, Token t) { return e.token < t; });
    return entry != entries.end() && entry->token == token
               ? static_cast<std::size_t>(entry - entries.begin())
               : weights_.size();
  }

  /// Fills the weights with the present residual, normalised.
  void load() {
    if (!reduced_) return copy_support(target_, weights_);
    const auto scale = static_cast<Scalar>(1.0 / mass_);
    for (Scalar& weight : weights_) weight *= scale;
  }

  void lower(std::size_t index, Scalar amount) {
    if (index < weights_.size()) weights_[index] = std::max(Scalar(0), weights_[index] - amount);
  }

  /// max(0, r - q) straight from p at the first rejection, in place later. @return its mass
  double subtract_dense(std::span<const Scalar> q, Scalar q_scale) {
    weights_.resize(q.size());
    const Scalar* present = reduced_ ? weights_.data() : target_.dense_values().data();
    const Scalar scale = reduced_ ? static_cast<Scalar>(1.0 / mass_) : Scalar(1);
    return positive_difference(present, scale, q, q_scale, weights_.data());
  }

  /// Rounding may leave no mass; the target's own law then takes over.
  void set_mass(double mass) {
    mass_ = mass;
    reduced_ = mass > 0.0;
  }

  const BasicLaw<Scalar>& target_;
  std::vector<Scalar>& weights_;
  double mass_ = 1.0;
  bool reduced_ = false;
};

}  // namespace speclab
