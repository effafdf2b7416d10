#pragma once
// Laws that host and device know to the last bit, for verdicts that must be the same.

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

#include "engines/cuda/device_memory.h"
#include "engines/cuda/round_state.h"
#include "sim/core/law.h"

namespace speclab::engines::cuda {

/// As the device keeps a law. Exponentials are whole numbers and the sum is a power of two:
/// probabilities, differences and all sums of them are exact, in float too, so that host and device
/// must agree about every coin.
struct ExactLaw {
  std::vector<float> exponentials;
  double sum;

  float operator[](std::size_t token) const {
    return exponentials[token] * static_cast<float>(1.0 / sum);
  }
};

/// Half of the tokens from `begin` on have some probability.
inline ExactLaw random_law(std::mt19937& random, int vocab, int begin = 0) {
  ExactLaw law{std::vector<float>(static_cast<std::size_t>(vocab), 0.0f), 0.0};
  std::uint64_t sum = 0;
  for (auto i = static_cast<std::size_t>(begin); i < law.exponentials.size(); ++i) {
    const std::uint64_t whole = random() % 2 == 0 ? 0 : random() % 256;
    law.exponentials[i] = static_cast<float>(whole);
    sum += whole;
  }
  const std::uint64_t rounded = std::bit_ceil(sum + 1);
  law.exponentials[static_cast<std::size_t>(begin) +
                   random() % static_cast<std::size_t>(vocab - begin)] +=
      static_cast<float>(rounded - sum);
  law.sum = static_cast<double>(rounded);
  return law;
}

struct LawsOnDevice {
  DeviceArray<float> exponentials;
  DeviceArray<double> sums;
  int vocab;

  LawsOnDevice(const std::vector<ExactLaw>& laws, int size) : vocab(size) {
    std::vector<float> values;
    std::vector<double> totals;
    for (const ExactLaw& law : laws) {
      values.insert(values.end(), law.exponentials.begin(), law.exponentials.end());
      totals.push_back(law.sum);
    }
    exponentials = on_device<float>(values);
    sums = on_device<double>(totals);
  }
  DeviceLaws view() const { return {exponentials.data(), sums.data(), vocab}; }
};

inline void fill(Law& law, const ExactLaw& exact) {
  const std::span<float> values = law.assign_dense(exact.exponentials.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = exact[i];
}

}  // namespace speclab::engines::cuda
