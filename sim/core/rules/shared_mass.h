#pragma once
#include <algorithm>
#include <cstddef>

#include "sim/core/law.h"

namespace speclab {

/// sum of min(scale * p, q) over the vocabulary, whatever the forms of the two laws.
template <typename Scalar>
double shared_mass(const BasicLaw<Scalar>& p, const BasicLaw<Scalar>& q, double scale) {
  using Form = typename BasicLaw<Scalar>::Form;
  double total = 0.0;
  const auto add = [&](Scalar pi, Scalar qi) { total += std::min(scale * static_cast<double>(pi), static_cast<double>(qi)); };
  if (p.form() != Form::dense) {
    for (const auto& entry : p.entries()) add(entry.probability, q[entry.token]);
  } else if (q.form() != Form::dense) {
    for (const auto& entry : q.entries()) add(p[entry.token], entry.probability);
  } else {
    for (std::size_t i = 0; i < p.dense_values().size(); ++i) add(p.dense_values()[i], q.dense_values()[i]);
  }
  return total;
}

}  // namespace speclab
