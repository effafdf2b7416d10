// Angles beyond the original context, against the rule of transformers.

#include "engines/models/rotary_scaling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engines/cpu/workspace.h"

namespace speclab::engines {
namespace {

/// Heads of 4 values, base 10000, a factor of 4 behind an original context of 8.
DecoderShape dynamic_shape() {
  DecoderShape shape;
  shape.context_length = 32;
  shape.head_dim = 4;
  shape.rope_theta = 10000.0f;
  shape.rotary_scaling.kind = RotaryScaling::Kind::dynamic;
  shape.rotary_scaling.factor = 4;
  shape.rotary_scaling.original_context = 8;
  return shape;
}

double second_frequency(std::int32_t position) {
  const RotaryFrequencies frequencies =
      rotary_frequencies(dynamic_shape(), RotaryBase::global, position);
  EXPECT_EQ(frequencies.per_position.front(), 1.0);
  EXPECT_EQ(frequencies.magnitude, 1.0);
  return frequencies.per_position.back();
}

/// Defect: beyond the original context the base stays, or grows by another rule.
/// transformers, _compute_dynamic_ntk_parameters: base (factor n / original - (factor - 1)) to the
/// power of d / (d - 2), for a text of n tokens; the second of two frequencies is base^(-1/2).
TEST(DynamicRotaryScaling, GrowsTheBaseWithTheText) {
  for (const std::int32_t position : {0, 5, 7}) EXPECT_NEAR(second_frequency(position), 0.01, 1e-9);
  // A text of 20: 4 * 20 / 8 - 3 = 7, base 10000 * 7 * 7 = 700 * 700.
  EXPECT_NEAR(second_frequency(19), 1.0 / 700, 1e-9);
  // A text of 32: 4 * 32 / 8 - 3 = 13.
  EXPECT_NEAR(second_frequency(31), 1.0 / 1300, 1e-9);
}

/// Defect: a row of a long prompt is turned by the whole prompt's base, so that its key depends on
/// the rows fed beside it. The last row's is the reference's for a prompt that long.
TEST(DynamicRotaryScaling, TurnsEveryRowOfALongPromptAsTheEndOfItsText) {
  const auto turned = [](std::int32_t reached, std::int32_t position) {
    cpu::RotationTable table(dynamic_shape(), RotaryBase::global);
    table.reach(reached);
    const float in[4] = {0, 1, 0, 0};
    float out[4];
    table.rotate(in, position, 4, out);
    return out[1];  // the cosine of the second pair
  };
  EXPECT_NEAR(turned(20, 19), std::cos(19.0 / 700), 1e-6);
  EXPECT_NEAR(turned(20, 11), std::cos(11.0 / 300), 1e-6) << "4 * 12 / 8 - 3 = 3";
  EXPECT_EQ(turned(20, 11), turned(32, 11)) << "a longer cache leaves the row as it is";
}

}  // namespace
}  // namespace speclab::engines
