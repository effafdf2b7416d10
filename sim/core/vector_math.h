#pragma once
// Passes over a vocabulary. Inner loops have a fixed length and no branches, so that -O2 turns them into vector code, and
// a fixed order of addition, so that results do not depend on the machine's vector width.

#include <array>
#include <cstddef>
#include <span>

namespace speclab {

inline constexpr std::size_t kLanes = 16;  ///< elements of one inner loop

/// Sum in double, lane by lane; the same bits for the same values everywhere.
template <typename Scalar>
double sum(std::span<const Scalar> values) {
  std::array<double, kLanes> lanes{};
  const Scalar* data = values.data();
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += static_cast<double>(data[i + lane]);
  for (std::size_t lane = 0; i < values.size(); ++i, ++lane) lanes[lane] += static_cast<double>(data[i]);
  double total = 0.0;
  for (const double lane : lanes) total += lane;
  return total;
}

/// out = max(0, p * p_scale - q * q_scale), element by element; out may be p.
/// @return the sum of what was written
template <typename Scalar>
double positive_difference(const Scalar* p, Scalar p_scale, std::span<const Scalar> q, Scalar q_scale, Scalar* out) {
  const auto positive = [](Scalar x) { return x > Scalar(0) ? x : Scalar(0); };
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= q.size(); i += kLanes) {
    std::array<Scalar, kLanes> block;
    for (std::size_t lane = 0; lane < kLanes; ++lane) block[lane] = positive(p[i + lane] * p_scale - q[i + lane] * q_scale);
    for (std::size_t lane = 0; lane < kLanes; ++lane) out[i + lane] = block[lane];
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += static_cast<double>(block[lane]);
  }
  double total = 0.0;
  for (const double lane : lanes) total += lane;
  for (; i < q.size(); ++i) total += static_cast<double>(out[i] = positive(p[i] * p_scale - q[i] * q_scale));
  return total;
}

/// Sum of min(p * p_scale, q) in double, element by element; p and q have one size.
template <typename Scalar>
double minimum_sum(std::span<const Scalar> p, double p_scale, std::span<const Scalar> q) {
  const auto scale = static_cast<Scalar>(p_scale);
  const auto smaller = [](Scalar a, Scalar b) { return a < b ? a : b; };
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= q.size(); i += kLanes) {
    std::array<Scalar, kLanes> block;
    for (std::size_t lane = 0; lane < kLanes; ++lane) block[lane] = smaller(p[i + lane] * scale, q[i + lane]);
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += static_cast<double>(block[lane]);
  }
  double total = 0.0;
  for (const double lane : lanes) total += lane;
  for (; i < q.size(); ++i) total += static_cast<double>(smaller(p[i] * scale, q[i]));
  return total;
}

/// Index of the largest value, the lowest index on ties; values is not empty and holds no NaN.
template <typename Scalar>
std::size_t index_of_max(std::span<const Scalar> values) {
  std::array<Scalar, kLanes> lanes;
  lanes.fill(values[0]);
  const Scalar* data = values.data();
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = data[i + lane] > lanes[lane] ? data[i + lane] : lanes[lane];
  for (; i < values.size(); ++i) lanes[0] = data[i] > lanes[0] ? data[i] : lanes[0];
  Scalar largest = lanes[0];
  for (const Scalar lane : lanes) largest = lane > largest ? lane : largest;
  std::size_t index = 0;
  while (data[index] != largest) ++index;
  return index;
}

}  // namespace speclab
