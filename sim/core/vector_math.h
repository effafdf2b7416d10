#pragma once
// Passes over a vocabulary. Inner loops have a fixed length and no branches, so compilers can turn
// them into vector code. They add in a fixed order, so results do not depend on the machine's
// vector width. The overloads for float are also compiled for wider vectors, without fused
// operations: equal bits everywhere.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace speclab {

inline constexpr std::size_t kLanes = 16;  ///< elements of one inner loop

namespace detail {

/// Sum in double of term(i) for i < size, lane by lane; keep(i, term(i)) is called for each.
template <typename Scalar, typename Term, typename Keep>
[[gnu::always_inline]] inline double lane_sum(std::size_t size, Term term, Keep keep) {
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    std::array<Scalar, kLanes> block;
    for (std::size_t lane = 0; lane < kLanes; ++lane) block[lane] = term(i + lane);
    for (std::size_t lane = 0; lane < kLanes; ++lane) keep(i + lane, block[lane]);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += static_cast<double>(block[lane]);
  }
  for (std::size_t lane = 0; i < size; ++i, ++lane) {
    const Scalar value = term(i);
    keep(i, value);
    lanes[lane] += static_cast<double>(value);
  }
  double total = 0.0;
  for (const double lane : lanes) total += lane;
  return total;
}

template <typename Scalar, typename Term>
[[gnu::always_inline]] inline double lane_sum(std::size_t size, Term term) {
  return lane_sum<Scalar>(size, term, [](std::size_t, Scalar) {});
}

}  // namespace detail

/// Sum in double, lane by lane; equal values give equal bits everywhere.
template <typename Scalar>
[[gnu::always_inline]] inline double sum(std::span<const Scalar> values) {
  return detail::lane_sum<Scalar>(values.size(),
                                  [data = values.data()](std::size_t i) { return data[i]; });
}
double sum(std::span<const float> values);

/// out = max(0, p * p_scale - q * q_scale), element by element; out may be p.
/// @return the sum of what was written
template <typename Scalar>
[[gnu::always_inline]] inline double positive_difference(const Scalar* p, Scalar p_scale,
                                                         std::span<const Scalar> q, Scalar q_scale,
                                                         Scalar* out) {
  const auto difference = [=, data = q.data()](std::size_t i) {
    const Scalar left = p[i] * p_scale - data[i] * q_scale;
    return left > Scalar(0) ? left : Scalar(0);
  };
  return detail::lane_sum<Scalar>(q.size(), difference,
                                  [out](std::size_t i, Scalar value) { out[i] = value; });
}
double positive_difference(const float* p, float p_scale, std::span<const float> q, float q_scale,
                           float* out);

/// out = max(0, p - share * min(p * p_scale, q)), element by element; out may be p.
/// @return the sum of what was written
template <typename Scalar>
[[gnu::always_inline]] inline double rest_beyond_minimum(const Scalar* p, Scalar p_scale,
                                                         std::span<const Scalar> q, Scalar share,
                                                         Scalar* out) {
  const auto rest = [=, data = q.data()](std::size_t i) {
    const Scalar scaled = p[i] * p_scale,
                 left = p[i] - share * (scaled < data[i] ? scaled : data[i]);
    return left > Scalar(0) ? left : Scalar(0);
  };
  return detail::lane_sum<Scalar>(q.size(), rest,
                                  [out](std::size_t i, Scalar value) { out[i] = value; });
}
double rest_beyond_minimum(const float* p, float p_scale, std::span<const float> q, float share,
                           float* out);

/// Sum of min(p * p_scale, q) in double, element by element; p and q have one size.
template <typename Scalar>
[[gnu::always_inline]] inline double minimum_sum(std::span<const Scalar> p, double p_scale,
                                                 std::span<const Scalar> q) {
  const auto smaller = [scale = static_cast<Scalar>(p_scale), p = p.data(),
                        q = q.data()](std::size_t i) {
    const Scalar scaled = p[i] * scale;
    return scaled < q[i] ? scaled : q[i];
  };
  return detail::lane_sum<Scalar>(q.size(), smaller);
}
double minimum_sum(std::span<const float> p, double p_scale, std::span<const float> q);

/// Index of the largest value, the lowest index on ties; values is not empty and holds no NaN.
template <typename Scalar>
std::size_t index_of_max(std::span<const Scalar> values) {
  std::array<Scalar, kLanes> lanes;
  lanes.fill(values[0]);
  const Scalar* data = values.data();
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = data[i + lane] > lanes[lane] ? data[i + lane] : lanes[lane];
  for (; i < values.size(); ++i) lanes[0] = data[i] > lanes[0] ? data[i] : lanes[0];
  Scalar largest = lanes[0];
  for (const Scalar lane : lanes) largest = lane > largest ? lane : largest;
  std::size_t index = 0;
  while (data[index] != largest) ++index;
  return index;
}

/// ln of the sum of exp(logits), in double.
/// @param logits  at least one; minus infinity is probability 0
/// @return NaN if a logit is NaN or infinite, or all are minus infinity
inline double log_sum_exp(std::span<const float> logits) {
  const double largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  return largest + std::log(sum);
}

}  // namespace speclab
