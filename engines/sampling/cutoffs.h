#pragma once
// Processors that cut a law after the softmax.

#include <span>
#include <vector>

#include "engines/interface/sampling_options.h"
#include "sim/core/law.h"

namespace speclab::engines {

/// top-k, top-p, min-p, typical, epsilon and eta, in generate()'s order, each over what the one
/// before has left, renormalised. Ties go to the lowest id, except that top-k keeps all tokens that
/// tie with the k-th and typical all that tie with its last, as generate() does. Every cut but
/// typical keeps the most likely token.
template <typename Scalar>
class Cutoffs {
 public:
  explicit Cutoffs(const SamplingOptions& options) : options_(options) {}

  bool any() const;
  /// @param probabilities  [vocab], all finite, not all 0
  /// @param law            the result, sparse
  void apply(std::span<const Scalar> probabilities, BasicLaw<Scalar>& law);

 private:
  using Entry = LawEntry<Scalar>;

  void keep_top_k(std::span<const Scalar> probabilities);
  void keep_top_p(std::span<const Scalar> probabilities);
  void keep_typical();
  /// Tokens whose share of what is left is at least `share`.
  void keep_likely(double share);
  void gather(std::span<const Scalar> probabilities, Scalar least);
  /// Gathers under a falling threshold until it is enough or all, so that only the likeliest of a
  /// vocabulary need be put in order.
  template <typename IsEnough>
  void gather_likeliest(std::span<const Scalar> probabilities, const IsEnough& is_enough);
  double kept_mass() const;
  double largest() const;
  /// In nats, of what is left, renormalised.
  double entropy() const;

  SamplingOptions options_;
  std::vector<Entry> kept_;
  std::vector<Scalar> order_;
};

extern template class Cutoffs<float>;
extern template class Cutoffs<double>;

}  // namespace speclab::engines
