#include "tests/support/made_values.h"

#include <algorithm>

namespace speclab::testing {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;

std::uint64_t split_mix(std::uint64_t number) {
  std::uint64_t z = number + kGolden;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

std::uint64_t fnv_1a(const std::string& text) {
  std::uint64_t state = 0xCBF29CE484222325;
  for (const char character : text)
    state = (state ^ static_cast<unsigned char>(character)) * 0x100000001B3;
  return state;
}

int step_of(std::uint64_t bits, int noise) {
  const int step = static_cast<int>(bits >> 56) - 128;
  const auto width = static_cast<std::uint64_t>(2 * noise + 1);
  return std::clamp(step + static_cast<int>((bits >> 16) % width) - noise, -128, 127);
}

}  // namespace

std::int64_t MadeTensor::num_elements() const {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) product *= size;
  return product;
}

std::vector<float> made_values(const MadeTensor& tensor, const MadeModel& model) {
  const std::uint64_t start = fnv_1a(tensor.name) ^ split_mix(model.seed);
  std::vector<float> values(static_cast<std::size_t>(tensor.num_elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int step = step_of(split_mix(start + i * kGolden), model.noise);
    values[i] = tensor.offset + static_cast<float>(step) * (tensor.scale / 128.0f);
  }
  return values;
}

}  // namespace speclab::testing
