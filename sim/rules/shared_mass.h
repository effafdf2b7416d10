#pragma once
#include <algorithm>
#include <cstddef>

#include "sim/core/law.h"
#include "sim/core/vector_math.h"

namespace speclab {

/// sum of min(scale * p, q) over the vocabulary, whatever the forms of the two laws.
template <typename Scalar>
double shared_mass(const BasicLaw<Scalar>& p, const BasicLaw<Scalar>& q, double scale) {
  using Form = typename BasicLaw<Scalar>::Form;
  double total = 0.0;
  const auto add = [&](Scalar pi, Scalar qi) {
    total += std::min(scale * static_cast<double>(pi), static_cast<double>(qi));
  };
  if (p.form() != Form::dense) {
    for (const auto& entry : p.entries()) add(entry.probability, q[entry.token]);
  } else if (q.form() != Form::dense) {
    for (const auto& entry : q.entries()) add(p[entry.token], entry.probability);
  } else {
    return minimum_sum(p.dense_values(), scale, q.dense_values());
  }
  return total;
}

}  // namespace speclab
