#pragma once
// Draws tokens from laws of any form. A sparse law never fills the vocabulary.

#include <cstddef>
#include <span>
#include <vector>

#include "sim/core/chance.h"
#include "sim/core/law.h"
#include "sim/core/vector_math.h"
#include "sim/system/errors.h"

namespace speclab {

/// Probabilities of the law's support: dense values, or one per entry, copied into `scratch`.
template <typename Scalar>
void copy_support(const BasicLaw<Scalar>& law, std::vector<Scalar>& scratch) {
  if (law.form() == BasicLaw<Scalar>::Form::dense) {
    const auto values = law.dense_values();
    scratch.assign(values.begin(), values.end());
    return;
  }
  scratch.clear();
  for (const auto& entry : law.entries()) scratch.push_back(entry.probability);
}

/// The token at `index` of the law's support, in the order of copy_support.
template <typename Scalar>
Token support_token(const BasicLaw<Scalar>& law, std::size_t index) {
  return law.form() == BasicLaw<Scalar>::Form::dense ? static_cast<Token>(index)
                                                     : law.entries()[index].token;
}

/// One token of the law. A point mass draws nothing.
/// @param scratch  work space for sparse laws
template <typename Scalar, ChanceSource Chance>
Token sample(const BasicLaw<Scalar>& law, const StreamKey& key, Chance& chance,
             std::vector<Scalar>& scratch) {
  using Form = typename BasicLaw<Scalar>::Form;
  if (law.form() == Form::point_mass) return law.entries()[0].token;
  if (law.form() == Form::dense)
    return static_cast<Token>(chance.categorical(key, law.dense_values()));
  copy_support(law, scratch);
  return support_token(law, chance.categorical(key, std::span<const Scalar>(scratch)));
}

/// Draws up to `count` distinct tokens. Each draw is from the law without the tokens already drawn,
/// renormalised. Fewer are drawn if the law has no more tokens of positive probability. A single
/// token is drawn without copying the law.
///
/// @param first_key  key of the first draw. Draw number i adds i to its `draw`, so each sibling
/// gets the key of its own node if they are added to a tree one after the other.
/// @param tokens     the result, in drawing order
/// @source Sequoia (Chen et al. 2024), Alg. 2
template <typename Scalar, ChanceSource Chance>
void sample_without_replacement(const BasicLaw<Scalar>& law, std::size_t count,
                                const StreamKey& first_key, Chance& chance,
                                std::vector<Scalar>& scratch, std::vector<Token>& tokens) {
  tokens.clear();
  if (count == 1) return tokens.push_back(sample(law, first_key, chance, scratch));
  copy_support(law, scratch);
  ShrinkingWeights<Scalar> weights(scratch);
  for (StreamKey key = first_key; tokens.size() < count && weights.left().total() > 0.0;
       ++key.draw) {
    const std::size_t index = chance.categorical(key, weights.left());
    tokens.push_back(support_token(law, index));
    weights.take_out(index);
  }
}

}  // namespace speclab
