#include "engines/cpu/rotation_table.h"

#include <algorithm>
#include <cmath>

namespace speclab::engines::cpu {

void RotationTable::reach(std::int32_t length) {
  const std::int32_t size = shape_.rotary_size();
  length = std::min(length, shape_.context_length);
  std::int32_t position = size == 0 ? length : static_cast<std::int32_t>(table_.size()) / size;
  if (position >= length) return;
  table_.reserve(static_cast<std::size_t>(length) * static_cast<std::size_t>(size));
  const bool changes = shape_.rotary_scaling.kind == RotaryScaling::Kind::dynamic;
  RotaryFrequencies frequencies = rotary_frequencies(shape_, base_, position);
  for (; position < length; ++position) {
    if (changes) frequencies = rotary_frequencies(shape_, base_, position);
    for (const double f : frequencies.per_position)
      table_.push_back(static_cast<float>(frequencies.magnitude * std::cos(position * f)));
    for (const double f : frequencies.per_position)
      table_.push_back(static_cast<float>(frequencies.magnitude * std::sin(position * f)));
  }
}

void RotationTable::rotate(const float* in, std::int32_t position, std::int32_t size,
                           float* out) const {
  const std::int32_t turning = shape_.rotary_size(), half = turning / 2;
  const float* cosine = table_.data() + std::int64_t{position} * turning;
  const float* sine = cosine + half;
  for (std::int32_t i = 0; i < half; ++i) {
    out[i] = in[i] * cosine[i] - in[i + half] * sine[i];
    out[i + half] = in[i + half] * cosine[i] + in[i] * sine[i];
  }
  std::copy(in + turning, in + size, out + turning);
}

}  // namespace speclab::engines::cpu
