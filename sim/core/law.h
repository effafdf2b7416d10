#pragma once
// A probability law over a vocabulary: dense, sparse or a point mass. An n-gram's law thus never
// fills the vocabulary.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "sim/core/token.h"

namespace speclab {

/// One entry of a sparse law.
template <typename Scalar>
struct LawEntry {
  Token token = 0;
  Scalar probability = 0;
};

/// Orders by falling probability; the lower id comes first on ties.
template <typename Scalar>
bool is_likelier(const LawEntry<Scalar>& a, const LawEntry<Scalar>& b) {
  return a.probability > b.probability || (a.probability == b.probability && a.token < b.token);
}

/// A law that reuses its storage: assign_* overwrites in place and allocates only to grow.
template <typename Scalar>
class BasicLaw {
 public:
  enum class Form { point_mass, sparse, dense };

  BasicLaw() = default;

  static BasicLaw point_mass(std::size_t vocab_size, Token token);
  /// @param entries  any order, distinct tokens; kept in ascending order of token
  static BasicLaw sparse(std::size_t vocab_size, std::vector<LawEntry<Scalar>> entries);
  /// @param probabilities  [vocab_size], sum to 1
  static BasicLaw dense(std::vector<Scalar> probabilities);

  void assign_point_mass(std::size_t vocab_size, Token token);
  void assign_sparse(std::size_t vocab_size, std::span<const LawEntry<Scalar>> entries);
  /// Makes the law dense and returns its storage, [vocab_size], contents unspecified: fill it.
  std::span<Scalar> assign_dense(std::size_t vocab_size);

  Form form() const { return form_; }
  std::size_t vocab_size() const { return vocab_size_; }
  /// Probability of `token`. @throws ContractError if it is outside the vocabulary
  Scalar operator[](Token token) const;
  /// Most likely token, the lowest id on ties.
  Token arg_max() const;
  /// The dense storage; only for form() == dense.
  std::span<const Scalar> dense_values() const;
  /// The entries in ascending order of token; for point_mass one entry; not for dense.
  std::span<const LawEntry<Scalar>> entries() const;

 private:
  Form form_ = Form::point_mass;
  std::size_t vocab_size_ = 0;
  std::vector<LawEntry<Scalar>> entries_;
  std::vector<Scalar> values_;
};

using Law = BasicLaw<float>;

extern template class BasicLaw<float>;
extern template class BasicLaw<double>;

}  // namespace speclab
