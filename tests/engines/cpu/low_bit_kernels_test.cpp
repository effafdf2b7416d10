// Products of low-bit weights: on every instruction set, in every form and arithmetic, against a
// double reference of the same numbers, and bit for bit whatever rows are beside a row.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "engines/cpu/bfloat16.h"
#include "engines/cpu/low_bit_packing.h"
#include "engines/cpu/number_forms.h"
#include "engines/cpu/packed_matrix.h"
#include "engines/formats/dequantise.h"
#include "tests/engines/cpu/scalar_products.h"

namespace speclab::engines::cpu {
namespace {

constexpr WeightForm kForms[] = {WeightForm::q4_0, WeightForm::q4_1, WeightForm::q5_0,
                                 WeightForm::q8_0, WeightForm::q4_k, WeightForm::q6_k};
constexpr int kColumns = 70;  ///< two blocks and a part of one
constexpr int kRows = 20;     ///< more than a tile has

}  // namespace

/// The kernels of avx_vnni by the instructions of avx512_vnni, which more processors have.
namespace narrow_vnni {
extern const CpuKernels kKernels;
}

namespace {

/// Null where the processor lacks them.
const CpuKernels* kernels_named(const std::string& name) {
  if (name == "narrow_vnni") return kernels_named("avx512_vnni") ? &narrow_vnni::kKernels : nullptr;
  for (auto kernels = runnable_kernels(); *kernels; ++kernels)
    if ((*kernels)->name == name) return *kernels;
  return nullptr;
}

/// An odd number of groups, so that records of two are cut.
int depth_of(WeightForm form) {
  return find_block_format(name_of(form))->block_elements == 256 ? 512 : 96;
}

/// Bytes at random with scales of the usual size; the first row has the largest codes.
std::vector<std::byte> random_rows(WeightForm form, std::mt19937& random) {
  const BlockFormat& format = *find_block_format(name_of(form));
  std::vector<std::byte> rows(static_cast<std::size_t>(kColumns * depth_of(form)) /
                              format.block_elements * format.block_bytes);
  for (std::byte& byte : rows) byte = static_cast<std::byte>(random() & 0xFF);
  const std::size_t row_bytes = rows.size() / kColumns;
  std::fill(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(row_bytes), std::byte{0xFF});
  for (std::size_t block = 0; block < rows.size(); block += format.block_bytes) {
    const float scale = 0.001f + static_cast<float>(random() % 1000) * 1e-5f;
    const auto put = [&](std::size_t at, float value) {
      const std::uint16_t half = float_to_half(value);
      std::memcpy(&rows[block + at], &half, sizeof half);
    };
    put(form == WeightForm::q6_k ? 208 : 0, scale);
    if (form == WeightForm::q4_1 || form == WeightForm::q4_k) put(2, -8 * scale);
  }
  return rows;
}

/// Weights of a file in three forms: packed, expanded to bfloat16, and as float32.
struct Weights {
  Weights(WeightForm of_file, std::mt19937& random)
      : form(of_file),
        depth(depth_of(form)),
        rows(random_rows(form, random)),
        packed(form, kColumns, depth),
        expanded(WeightForm::bfloat16, kColumns, depth),
        values(static_cast<std::size_t>(kColumns * depth)) {
    packed.set_columns(0, StoredRows{rows, row_bytes()});
    find_block_format(name_of(form))->dequantise(rows, values.data());
    expanded.set_columns(0, values);
  }

  std::int64_t row_bytes() const { return static_cast<std::int64_t>(rows.size()) / kColumns; }

  WeightForm form;
  int depth;
  std::vector<std::byte> rows;
  PackedMatrix packed, expanded;
  std::vector<float> values;  ///< [kColumns, depth]
};

std::vector<float> random_activations(int depth, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(kRows * depth));
  for (float& value : x) value = normal(random);
  return x;
}

/// Rows of activations as the kernels of one arithmetic read them.
class Activations {
 public:
  Activations(const CpuKernels& kernels, ProductKind kind, std::span<const float> x, int depth)
      : kind_(kind), rows_(static_cast<int>(x.size()) / depth), depth_(depth) {
    const int groups = depth / kGroupDepth;
    room_.resize(static_cast<std::size_t>(groups * rows_));
    if (kind == ProductKind::exact)
      kernels.convert(x.data(), static_cast<int>(x.size()), ElementType::bfloat16, room_.data());
    else
      kernels.make_groups({.kind = kind,
                           .x = x.data(),
                           .x_stride = depth,
                           .rows = rows_,
                           .begin = 0,
                           .end = groups * rows_,
                           .out = room_.data()});
  }

  int rows() const { return rows_; }
  const void* data() const { return room_.data(); }
  std::int64_t stride() const { return kind_ == ProductKind::exact ? depth_ : rows_; }

  /// The number that stands for x[row][depth].
  double at(int row, int depth) const {
    if (kind_ == ProductKind::exact)
      return from_bfloat16(reinterpret_cast<const BFloat16*>(room_.data())[row * depth_ + depth]);
    const int place = depth / kGroupDepth * rows_ + row, in_group = depth % kGroupDepth;
    if (kind_ == ProductKind::bfloat16)
      return from_bfloat16(room_[static_cast<std::size_t>(place)].values[in_group]);
    const Int8Group& group = reinterpret_cast<const Int8Group*>(room_.data())[place];
    const int* found = std::find(kDepthOfByte, kDepthOfByte + kStepDepth, in_group % kStepDepth);
    const auto byte = static_cast<int>(found - kDepthOfByte);
    return static_cast<double>(group.scale) *
           group.codes[in_group / kStepDepth * kStepDepth + byte];
  }

 private:
  ProductKind kind_;
  int rows_, depth_;
  std::vector<BFloat16Group> room_;
};

std::vector<float> product(const CpuKernels& kernels, const PackedMatrix& matrix, ProductKind kind,
                           const Activations& x) {
  std::vector<float> out(static_cast<std::size_t>(x.rows() * kColumns));
  for (const auto& part : matrix.placed_parts()) {
    const MultiplyArgs args{.weights = part.data,
                            .form = part.form,
                            .kind = kind,
                            .x = x.data(),
                            .x_stride = x.stride(),
                            .out = out.data(),
                            .out_stride = kColumns,
                            .rows = x.rows(),
                            .depth = matrix.depth(),
                            .first_block = part.first_block,
                            .block_begin = part.first_block,
                            .block_end = part.end_block,
                            .columns = kColumns};
    (is_low_bit(part.form) ? kernels.multiply_low_bit : kernels.multiply_bfloat16)(args);
  }
  return out;
}

class LowBitKernels : public ::testing::TestWithParam<std::tuple<const char*, WeightForm>> {
 protected:
  void SetUp() override {
    const std::string name = std::get<0>(GetParam());
    kernels_ = kernels_named(name);
    if (kernels_ == nullptr) GTEST_SKIP() << "this processor has no instructions of " << name;
  }

  /// Products of all rows, and whether each row by itself gives the same bits.
  std::vector<float> checked_product(const Weights& weights, ProductKind kind,
                                     const std::vector<float>& x) {
    const std::vector<float> all =
        product(*kernels_, weights.packed, kind, Activations(*kernels_, kind, x, weights.depth));
    for (int count = 1; count < kRows; count += count < 4 ? 1 : 5)
      for (const int first : {0, kRows - count}) {
        const auto some = std::span(x).subspan(static_cast<std::size_t>(first * weights.depth),
                                               static_cast<std::size_t>(count * weights.depth));
        const std::vector<float> out = product(*kernels_, weights.packed, kind,
                                               Activations(*kernels_, kind, some, weights.depth));
        EXPECT_TRUE(std::equal(out.begin(), out.end(), all.begin() + first * kColumns))
            << count << " rows from row " << first;
      }
    return all;
  }

  /// The largest error over the sum of the sizes of what was added.
  static double worst_error(const Weights& weights, const Activations& x,
                            const std::vector<float>& found) {
    double worst = 0;
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kColumns; ++c) {
        double sum = 0, size = 0;
        for (int k = 0; k < weights.depth; ++k) {
          const double term =
              x.at(r, k) *
              static_cast<double>(weights.values[static_cast<std::size_t>(c * weights.depth + k)]);
          sum += term;
          size += std::abs(term);
        }
        const double value = static_cast<double>(found[static_cast<std::size_t>(r * kColumns + c)]);
        worst = std::max(worst, std::abs(value - sum) / size);
      }
    return worst;
  }

  const CpuKernels* kernels_ = nullptr;
  std::mt19937 random_{3};
};

std::string case_name(const ::testing::TestParamInfo<std::tuple<const char*, WeightForm>>& named) {
  return std::string(std::get<0>(named.param)) + "_" +
         std::string(name_of(std::get<1>(named.param)));
}

INSTANTIATE_TEST_SUITE_P(, LowBitKernels,
                         ::testing::Combine(::testing::Values("avx512_bf16", "avx512_vnni",
                                                              "avx512", "avx_vnni", "narrow_vnni",
                                                              "avx2", "portable"),
                                            ::testing::ValuesIn(kForms)),
                         case_name);

// Catches a code, scale or zero at a wrong place, and a sum that depends on its neighbours.
TEST_P(LowBitKernels, InexactProductsAreThoseOfTheStoredNumbers) {
  const Weights weights(std::get<1>(GetParam()), random_);
  const std::vector<float> x = random_activations(weights.depth, random_);
  for (const ProductKind kind : {ProductKind::int8, ProductKind::bfloat16}) {
    const Activations seen(*kernels_, kind, x, weights.depth);
    EXPECT_LT(worst_error(weights, seen, checked_product(weights, kind, x)), 1e-6);
  }
}

/// Defect: a sum of integers overflows, a group is added in another order, or a number is rounded
/// otherwise than in the order that is promised.
TEST_P(LowBitKernels, Int8ProductsHaveTheBitsOfTheScalarReference) {
  const bool is_fused = std::string(kernels_->name) != "portable";
  Weights weights(std::get<1>(GetParam()), random_);
  std::vector<float> x = random_activations(weights.depth, random_);
  std::ranges::fill(std::span(x).first(static_cast<std::size_t>(weights.depth)), -3.0f);
  const Activations seen(*kernels_, ProductKind::int8, x, weights.depth);
  const auto* groups = static_cast<const Int8Group*>(seen.data());
  const std::vector<float> found = checked_product(weights, ProductKind::int8, x);
  const auto row_bytes = static_cast<std::size_t>(weights.row_bytes());
  for (int c = 0; c < kColumns; ++c)
    for (int r = 0; r < kRows; ++r) {
      float sum = 0;
      for (int g = 0; g < weights.depth / kGroupDepth; ++g)
        sum = testing::with_group(
            is_fused,
            testing::stored_group(
                weights.form,
                std::span(weights.rows).subspan(static_cast<std::size_t>(c) * row_bytes, row_bytes),
                g, find_block_format(name_of(weights.form))->block_bytes),
            groups[g * kRows + r], sum);
      ASSERT_EQ(found[static_cast<std::size_t>(r * kColumns + c)], sum)
          << "row " << r << " column " << c;
    }
}

// Catches a weight that is rounded otherwise than on loading, and another order of the sum.
TEST_P(LowBitKernels, ExactProductsHaveTheBitsOfExpandedWeights) {
  const Weights weights(std::get<1>(GetParam()), random_);
  const std::vector<float> x = random_activations(weights.depth, random_);
  const Activations rows(*kernels_, ProductKind::exact, x, weights.depth);
  EXPECT_EQ(checked_product(weights, ProductKind::exact, x),
            product(*kernels_, weights.expanded, ProductKind::exact, rows));
}

// Catches an expanded block whose numbers differ from those that a short product makes.
TEST_P(LowBitKernels, ExpandedBlocksHoldTheWeightsInBFloat16) {
  const Weights weights(std::get<1>(GetParam()), random_);
  const auto size = static_cast<std::size_t>(weights.depth * kBlockColumns);
  std::vector<BFloat16> block(size);
  kernels_->expand_block(std::get<1>(GetParam()), weights.packed.placed_parts()[0].data,
                         weights.depth, block.data());
  const auto* expected = static_cast<const BFloat16*>(weights.expanded.placed_parts()[0].data);
  for (std::size_t i = 0; i < size; ++i)
    ASSERT_EQ(from_bfloat16(block[i]), from_bfloat16(expected[i])) << i;
}

// Catches a group whose scale has no inverse in float32.
TEST_P(LowBitKernels, TakeTinyActivationsForZeros) {
  const Weights weights(std::get<1>(GetParam()), random_);
  const std::vector<float> x(static_cast<std::size_t>(weights.depth), 1e-38f);
  const std::vector<float> out =
      product(*kernels_, weights.packed, ProductKind::int8,
              Activations(*kernels_, ProductKind::int8, x, weights.depth));
  for (const float value : out) EXPECT_EQ(value, 0.0f);
}

// Catches a NaN that int8 codes would turn into a number.
TEST_P(LowBitKernels, PassOnActivationsThatAreNotFinite) {
  const Weights weights(std::get<1>(GetParam()), random_);
  for (const ProductKind kind : {ProductKind::exact, ProductKind::int8, ProductKind::bfloat16})
    for (const float bad : {NAN, INFINITY}) {
      std::vector<float> x = random_activations(weights.depth, random_);
      x[40] = bad;
      const std::vector<float> out =
          product(*kernels_, weights.packed, kind, Activations(*kernels_, kind, x, weights.depth));
      EXPECT_FALSE(std::isfinite(out[0]));
      EXPECT_TRUE(std::isfinite(out[kColumns]));
    }
}

/// Defect: activations use a part of their codes, or are cut instead of rounded: a bit is lost, and
/// the bounds of all products above still hold.
TEST(ActivationGroups, UseAllCodesAndTheNearest) {
  std::vector<float> x(kGroupDepth);
  for (int i = 0; i < kGroupDepth; ++i) x[static_cast<std::size_t>(i)] = 0.37f * (20.3f - i);
  for (auto kernels = runnable_kernels(); *kernels; ++kernels) {
    Int8Group group;
    (*kernels)->make_groups(
        {.kind = ProductKind::int8, .x = x.data(), .rows = 1, .end = 1, .out = &group});
    EXPECT_EQ(*std::ranges::max_element(group.codes), 127) << (*kernels)->name;
    for (int i = 0; i < kGroupDepth; ++i) {
      const int place = i / kStepDepth * kStepDepth + kDepthOfByte[i % kStepDepth];
      EXPECT_NEAR(group.scale * group.codes[place], x[static_cast<std::size_t>(i)],
                  0.5001f * group.scale)
          << (*kernels)->name << " " << i;
    }
  }
}

TEST(LowBitPacking, GivesBackTheWeightsOfTheFile) {
  std::mt19937 random(5);
  for (const WeightForm form : kForms) {
    const Weights weights(form, random);
    std::vector<float> column(static_cast<std::size_t>(weights.depth));
    for (int c = 0; c < kColumns; ++c) {
      weights.packed.read_column(c, column.data());
      EXPECT_TRUE(
          std::equal(column.begin(), column.end(), weights.values.begin() + c * weights.depth))
          << name_of(form) << " column " << c;
    }
  }
}

// Catches bits of an earlier block that show through: streamed blocks are packed over each other.
TEST(LowBitPacking, WritesEveryByteOfWholeBlocks) {
  std::mt19937 random(7);
  for (const WeightForm form : kForms) {
    const BlockFormat& format = block_format(form);
    const std::int64_t row_bytes = 512 / format.block_elements * format.block_bytes;
    std::vector<std::byte> rows(static_cast<std::size_t>(kBlockColumns * row_bytes));
    for (std::byte& byte : rows) byte = static_cast<std::byte>(random() & 0xFF);
    std::vector<const std::byte*> pointers;
    for (int c = 0; c < kBlockColumns; ++c) pointers.push_back(rows.data() + c * row_bytes);
    const auto size = static_cast<std::size_t>(block_bytes(form, 512));
    std::string clean(size, '\0'), used(size, '\xA5');
    for (std::string* block : {&clean, &used})
      for (const int first : {0, kBlockColumns / 2})
        pack_columns(form, std::span(pointers).subspan(static_cast<std::size_t>(first), 16),
                     row_bytes, block->data(), first);
    const auto differs = std::ranges::mismatch(used, clean).in1 - used.begin();
    EXPECT_EQ(differs, static_cast<std::ptrdiff_t>(size)) << name_of(form);
  }
}

/// Defect: columns that are packed together, as whole vectors are, get other bytes than alone, or
/// change those beside them.
TEST(LowBitPacking, GivesEachColumnTheSameBytesWhateverItsNeighbours) {
  std::mt19937 random(8);
  for (const WeightForm form : kForms) {
    const BlockFormat& format = block_format(form);
    const std::int64_t row_bytes = 512 / format.block_elements * format.block_bytes;
    std::vector<std::byte> rows(static_cast<std::size_t>(kBlockColumns * row_bytes));
    for (std::byte& byte : rows) byte = static_cast<std::byte>(random() & 0xFF);
    std::vector<const std::byte*> pointers;
    for (int c = 0; c < kBlockColumns; ++c) pointers.push_back(rows.data() + c * row_bytes);
    const auto packed_by = [&](std::initializer_list<int> begins) {
      std::string block(static_cast<std::size_t>(block_bytes(form, 512)), '\0');
      for (const int* begin = begins.begin(); begin + 1 != begins.end(); ++begin)
        pack_columns(form,
                     std::span(pointers).subspan(static_cast<std::size_t>(begin[0]),
                                                 static_cast<std::size_t>(begin[1] - begin[0])),
                     row_bytes, block.data(), begin[0]);
      return block;
    };
    const std::string few = packed_by({0, 7, 13, 16, 27, 32});
    EXPECT_EQ(packed_by({0, 32}), few) << name_of(form);
    EXPECT_EQ(packed_by({0, 16, 32}), few) << name_of(form);
    EXPECT_EQ(packed_by({0, 3, 25, 32}), few) << name_of(form) << ", from within a vector";
  }
}

// Catches a scale that is not the largest value's, and codes that are cut instead of rounded.
TEST(LowBitPacking, QuantisesToTheNearestCodes) {
  std::mt19937 random(6);
  std::normal_distribution<float> normal;
  std::vector<float> values(64);
  for (float& value : values) value = normal(random);
  values[40] = 0;
  const std::vector<std::byte> blocks = quantised_to_q8_0(values);
  std::vector<float> found(values.size());
  find_block_format("Q8_0")->dequantise(blocks, found.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i / 32 * 32);
    const float largest = std::abs(*std::max_element(
        first, first + 32, [](float a, float b) { return std::abs(a) < std::abs(b); }));
    EXPECT_NEAR(found[i], values[i], largest / 127 * 0.51f) << i;
  }
}

// Catches stored records that take more memory than the file's blocks.
TEST(LowBitPacking, TakesAtMostATwentiethMoreThanTheFile) {
  for (const WeightForm form : kForms) {
    const BlockFormat& format = *find_block_format(name_of(form));
    const double file = 512.0 * 64 / format.block_elements * format.block_bytes;
    EXPECT_LE(static_cast<double>(PackedMatrix::data_bytes(form, 64, 512)), 1.05 * file)
        << name_of(form);
  }
}

}  // namespace
}  // namespace speclab::engines::cpu
