#include "sim/core/law.h"

#include <gtest/gtest.h>

#include "sim/core/rng_stream.h"
#include "sim/core/vector_math.h"
#include "sim/system/errors.h"

namespace speclab {
namespace {

TEST(Law, SparseIsSortedByTokenAndZeroElsewhere) {
  const Law law = Law::sparse(6, {{4, 0.75F}, {1, 0.25F}});
  EXPECT_EQ(law.entries()[0].token, 1);
  EXPECT_EQ(law[4], 0.75F);
  EXPECT_EQ(law[0], 0.0F);
  EXPECT_EQ(law[5], 0.0F);
}

TEST(Law, PointMassHasOneEntry) {
  const Law law = Law::point_mass(6, 3);
  EXPECT_EQ(law[3], 1.0F);
  EXPECT_EQ(law[2], 0.0F);
  EXPECT_EQ(law.entries().size(), 1U);
  EXPECT_EQ(law.arg_max(), 3);
}

TEST(Law, ChangesItsFormInPlace) {
  Law law = Law::dense({0.5F, 0.5F});
  law.assign_point_mass(4, 2);
  EXPECT_EQ(law.form(), Law::Form::point_mass);
  EXPECT_EQ(law.vocab_size(), 4U);
  const auto values = law.assign_dense(3);
  ASSERT_EQ(values.size(), 3U);
  values[0] = 0.0F;
  values[1] = 0.25F;
  values[2] = 0.75F;
  EXPECT_EQ(law[2], 0.75F);
  EXPECT_EQ(law.arg_max(), 2);
}

TEST(Law, ArgMaxIsTheLowestTokenOnTiesInEveryForm) {
  EXPECT_EQ(Law::dense({0.1F, 0.3F, 0.3F, 0.3F}).arg_max(), 1);
  EXPECT_EQ(Law::sparse(9, {{7, 0.5F}, {2, 0.5F}}).arg_max(), 2);
  std::vector<float> long_law(100, 0.001F);
  long_law[37] = long_law[53] = long_law[98] = 0.1F;
  EXPECT_EQ(Law::dense(long_law).arg_max(), 37);
}

TEST(Law, RefusesTokensOutsideTheVocabularyAndRepeatedEntries) {
  EXPECT_THROW(Law::point_mass(4, 4), ContractError);
  EXPECT_THROW(Law::sparse(4, {{-1, 1.0F}}), ContractError);
  EXPECT_THROW(Law::sparse(4, {{1, 0.5F}, {1, 0.5F}}), ContractError);
  EXPECT_THROW(Law::sparse(4, {}), ContractError);
  EXPECT_THROW(Law::dense({1.0F})[1], ContractError);
  EXPECT_THROW(Law::dense({1.0F}).entries(), ContractError);
  EXPECT_THROW(Law::point_mass(2, 0).dense_values(), ContractError);
}

TEST(VectorMath, AgreesWithTheDirectLoopAtEveryLength) {
  for (std::size_t size = 1; size < 70; ++size) {
    std::vector<double> p(size), q(size), out(size);
    double expected_sum = 0.0, expected_difference = 0.0;
    std::size_t expected_max = 0;
    for (std::size_t i = 0; i < size; ++i) {
      p[i] = static_cast<double>((i * 37 + size) % 64) / 64.0;
      q[i] = static_cast<double>((i * 11 + 5) % 32) / 64.0;
      expected_sum += p[i];
      expected_difference += std::max(0.0, p[i] - 2.0 * q[i]);
      if (p[i] > p[expected_max]) expected_max = i;
    }
    EXPECT_EQ(sum(std::span<const double>(p)), expected_sum);  // sixty-fourths: exact
    EXPECT_EQ(positive_difference(p.data(), 1.0, std::span<const double>(q), 2.0, out.data()),
              expected_difference);
    EXPECT_EQ(out[size - 1], std::max(0.0, p[size - 1] - 2.0 * q[size - 1]));
    EXPECT_EQ(index_of_max(std::span<const double>(p)), expected_max);
  }
}

/// Passes over floats may be compiled for wider vectors; they give the bits of the plain loops all
/// the same.
TEST(VectorMath, OfFloatsHasTheSameBitsInWideVectors) {
  const RngStream stream(9);
  for (std::size_t size = 0; size < 71; ++size) {
    const std::size_t n = size == 70 ? 49'152 : size;
    std::vector<float> p(n), q(n), plain(n), wide(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      p[i] = static_cast<float>(stream.uniform({0, i, Purpose::weights, 0}));
      q[i] = static_cast<float>(stream.uniform({1, i, Purpose::weights, 0}));
    }
    const std::span<const float> ps(p), qs(q);
    EXPECT_EQ(sum(ps), sum<float>(ps));
    EXPECT_EQ(minimum_sum(ps, 0.7, qs), minimum_sum<float>(ps, 0.7, qs));
    EXPECT_EQ(positive_difference(p.data(), 1.25f, qs, 0.7f, wide.data()),
              positive_difference<float>(p.data(), 1.25f, qs, 0.7f, plain.data()));
    EXPECT_EQ(wide, plain);
    EXPECT_EQ(rest_beyond_minimum(p.data(), 0.8f, qs, 0.9f, wide.data()),
              rest_beyond_minimum<float>(p.data(), 0.8f, qs, 0.9f, plain.data()));
    EXPECT_EQ(wide, plain);
    std::vector<float> in_place = p;
    EXPECT_EQ(rest_beyond_minimum(in_place.data(), 0.8f, qs, 0.9f, in_place.data()),
              rest_beyond_minimum<float>(p.data(), 0.8f, qs, 0.9f, plain.data()));
    EXPECT_EQ(in_place, plain);
  }
}

}  // namespace
}  // namespace speclab
