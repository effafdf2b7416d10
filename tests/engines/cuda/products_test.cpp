// Products of 1 to 16 rows and odd sizes, by every variant of the ladder and every form of the
// engine, against the sum written out.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "engines/cpu/bfloat16.h"
#include "engines/cuda/device.h"
#include "engines/cuda/device_memory.h"
#include "engines/cuda/kernels.h"
#include "engines/cuda/kernels/ladder.h"
#include "engines/cuda/layer_block.h"

namespace speclab::engines::cuda {
namespace {

constexpr int kRows = 16;

struct ProductProblem {
  int out, in;
  std::vector<float> weights, input;  ///< [out, in], [kRows, in], values of bfloat16
};

ProductProblem random_product(int out, int in) {
  std::mt19937 random(static_cast<unsigned>(out * 131 + in * 7));
  const auto values = [&](int count) {
    std::vector<float> drawn(static_cast<std::size_t>(count));
    for (float& value : drawn)
      value = cpu::from_bfloat16(
          cpu::to_bfloat16(static_cast<float>(random() % 2001) / 1000.0f - 1.0f));
    return drawn;
  };
  return {out, in, values(out * in), values(kRows * in)};
}

/// The packed weights with their tiles in another order.
std::vector<std::uint16_t> packed_in(TileOrder order, const ProductProblem& p) {
  const std::vector<std::uint16_t> packed =
      pack(p.weights, p.in, [](std::int64_t row) { return row; });
  const std::int64_t blocks = (p.out + kTileRows - 1) / kTileRows, tiles = p.in / kTileColumns;
  std::vector<std::uint16_t> ordered(packed.size());
  for (std::int64_t block = 0; block < blocks; ++block)
    for (std::int64_t tile = 0; tile < tiles; ++tile)
      std::copy_n(
          packed.begin() + tile_at(TileOrder::by_block, block, tile, blocks, tiles) * kTileElements,
          kTileElements,
          ordered.begin() + tile_at(order, block, tile, blocks, tiles) * kTileElements);
  return ordered;
}

/// A problem's arrays on the device.
struct DeviceProblem {
  DeviceArray<std::uint16_t> weights, input;
  int in, blocks;

  DeviceProblem(const ProductProblem& p, TileOrder order)
      : weights(on_device<std::uint16_t>(packed_in(order, p))),
        in(p.in),
        blocks((p.out + kTileRows - 1) / kTileRows) {
    std::vector<std::uint16_t> values;
    for (const float value : p.input) values.push_back(cpu::to_bfloat16(value));
    input = on_device<std::uint16_t>(values);
  }

  ProductArguments arguments(const std::int32_t* num_rows) const {
    ProductArguments a{};
    a.weights = weights.data();
    a.input = input.data();
    a.num_rows = num_rows;
    a.columns = in;
    a.blocks = blocks;
    return a;
  }
};

using Launch = std::function<void(const ProductArguments&, float* output)>;

/// The first `rows` rows of the output, [rows, size].
std::vector<float> output_of(const Device& device, const DeviceProblem& problem, std::int32_t rows,
                             int size, const Launch& launch) {
  const auto num_rows = on_device<std::int32_t>(std::span(&rows, 1));
  const PinnedArray<float> output(static_cast<std::size_t>(rows * size));
  launch(problem.arguments(num_rows.data()), output.data());
  device.synchronize();
  return {output.data(), output.data() + output.size()};
}

void expect_product(const ProductProblem& p, const std::vector<float>& found, int size) {
  for (int m = 0; m < kRows; ++m)
    for (int n = 0; n < p.out; ++n) {
      double sum = 0, magnitude = 0;
      for (int k = 0; k < p.in; ++k) {
        const double term = static_cast<double>(p.weights[static_cast<std::size_t>(n * p.in + k)]) *
                            static_cast<double>(p.input[static_cast<std::size_t>(m * p.in + k)]);
        sum += term;
        magnitude += std::abs(term);
      }
      ASSERT_NEAR(
          static_cast<double>(found[static_cast<std::size_t>(m * size + n)]), sum,
          1e-6 * magnitude)  // float32 sums: some ten roundings of 2^-24 of the terms' magnitude
          << "row " << m << ", output " << n;
    }
}

/// The device's ladder is compiled for compute capability 9.0 alone.
bool runs_ladder() { return device_is_there() && Device().context().has_overlapping_starts; }

// Catches a variant whose sums are wrong or depend on the rows beside a row: another order of
// columns, a stage that is read before it has landed, a warp's last tiles left out. With 163
// outputs a thread block has two groups, so that rings turn round; with 4,128 columns a warp has 17
// tiles, more than any variant holds in registers.
TEST(Products, EveryVariantGivesTheWrittenOutSumWithTheSameBitsAtAnyNumberOfRows) {
  if (!runs_ladder()) GTEST_SKIP() << "no CUDA device of compute capability 9.0 is here";
  const Device device;
  for (const auto& [out, in] : {std::pair{16, 32}, std::pair{163, 1312}, std::pair{37, 4128}}) {
    const ProductProblem problem = random_product(out, in);
    std::vector<float> all;
    for (const LadderVariant& variant : product_ladder()) {
      if (!variant.is_exact || !variant.has_room(in)) continue;
      const DeviceProblem on_it(problem, variant.order);
      const int size = on_it.blocks * kTileRows;
      const auto outputs = [&](int rows) {
        return output_of(device, on_it, rows, size, [&](const ProductArguments& a, float* output) {
          variant.launch(a, output, device.context());
        });
      };
      if (all.empty()) {
        const LadderVariant& widest =
            *std::ranges::find(product_ladder(), kRows, &LadderVariant::most_rows);
        all = output_of(device, on_it, kRows, size, [&](const ProductArguments& a, float* output) {
          widest.launch(a, output, device.context());
        });
        expect_product(problem, all, size);
      }
      for (int rows = 1; rows <= variant.most_rows; ++rows) {
        EXPECT_EQ(outputs(rows), std::vector<float>(all.begin(), all.begin() + rows * size))
            << variant.description << ", " << out << " x " << in << ", " << rows << " rows";
      }
    }
  }
}

// Catches a form of the engine that adds in another order than the others, so that a pass of one
// row and one of sixteen would differ.
TEST(Products, EveryFormOfTheEngineGivesTheSameBits) {
  if (!device_is_there()) GTEST_SKIP() << "no CUDA device is here";
  Device device;
  const int at_the_same_time =
      device.context().num_multiprocessors *
      kTileRows;  // rows of weights; the cuts change at two and three times as many
  for (const auto& [out, in] :
       {std::pair{37, 96}, std::pair{20, 2080}, std::pair{20, 4128},
        std::pair{2 * at_the_same_time + 1, 288}, std::pair{3 * at_the_same_time + 1, 96},
        std::pair{3 * at_the_same_time + 1, 2080}}) {
    const ProductProblem problem = random_product(out, in);
    const DeviceProblem on_it(problem, TileOrder::by_block);
    const DeviceArray<BestLogit> best(static_cast<std::size_t>(kMaxRows * on_it.blocks));
    const auto logits = [&](int rows, int bound) {
      return output_of(device, on_it, rows, out, [&](const ProductArguments& a, float* output) {
        launch_head(a, output, best.data(), out, bound, device.context());
      });
    };
    const std::vector<float> all = logits(kRows, kMaxRows);
    expect_product(problem, all, out);
    for (const ProductForm form : kProductForms)
      for (const int rows : {1, 8, 16}) {
        device.choose(form);
        EXPECT_EQ(logits(rows, rows), std::vector<float>(all.begin(), all.begin() + rows * out))
            << "form " << static_cast<int>(form) << ", " << rows << " rows of " << in;
      }
  }
}

}  // namespace
}  // namespace speclab::engines::cuda
