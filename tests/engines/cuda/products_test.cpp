// Products of every number of rows and odd sizes, cut in every way, against the sum written out.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "engines/cuda/device.h"
#include "engines/cuda/device_memory.h"
#include "engines/cuda/kernels/cut_trials.h"
#include "engines/cuda/packed_weights.h"
#include "engines/models/cpu/bfloat16.h"

namespace speclab::engines::cuda {
namespace {

struct Problem {
  int out, in, rows;
  std::vector<float> weights, input;  ///< [out, in], [rows, in], values of bfloat16
};

Problem random_problem(int out, int in, int rows) {
  std::mt19937 random(static_cast<unsigned>(out * 131 + in * 7 + rows));
  const auto values = [&](int count) {
    std::vector<float> drawn(static_cast<std::size_t>(count));
    for (float& value : drawn) value = cpu::from_bfloat16(cpu::to_bfloat16(static_cast<float>(random() % 2001) / 1000.0f - 1.0f));
    return drawn;
  };
  return {out, in, rows, values(out * in), values(rows * in)};
}

/// The packed weights with their tiles in another order.
std::vector<std::uint16_t> packed_in(TileOrder order, const Problem& p) {
  const std::vector<std::uint16_t> packed = pack(p.weights, p.in, [](std::int64_t row) { return row; });
  const std::int64_t blocks = (p.out + kTileRows - 1) / kTileRows, tiles = p.in / kTileColumns;
  std::vector<std::uint16_t> ordered(packed.size());
  for (std::int64_t block = 0; block < blocks; ++block)
    for (std::int64_t tile = 0; tile < tiles; ++tile)
      std::copy_n(packed.begin() + tile_at(TileOrder::by_block, block, tile, blocks, tiles) * kTileElements, kTileElements,
                  ordered.begin() + tile_at(order, block, tile, blocks, tiles) * kTileElements);
  return ordered;
}

std::vector<float> product_on_device(const Device& device, const Problem& p, const CutTrial& cut) {
  std::vector<std::uint16_t> input;
  for (const float value : p.input) input.push_back(cpu::to_bfloat16(value));
  const auto weights = on_device<std::uint16_t>(packed_in(cut.order, p));
  const auto device_input = on_device<std::uint16_t>(input);
  const std::int32_t rows = p.rows;
  const auto num_rows = on_device<std::int32_t>(std::span(&rows, 1));
  const int blocks = (p.out + 15) / 16;
  const PinnedArray<float> output(static_cast<std::size_t>(p.rows * blocks * 16));
  ProductArguments a{};
  a.weights = weights.data();
  a.input = device_input.data();
  a.num_rows = num_rows.data();
  a.columns = p.in;
  a.blocks = blocks;
  cut.launch(a, output.data(), device.context());
  device.synchronize();
  return {output.data(), output.data() + output.size()};
}

void expect_product(const Problem& p, const std::vector<float>& found) {
  const int stride = static_cast<int>(found.size()) / p.rows;
  for (int m = 0; m < p.rows; ++m)
    for (int n = 0; n < stride; ++n) {
      double sum = 0, size = 0;
      for (int k = 0; k < p.in && n < p.out; ++k) {
        const double term = static_cast<double>(p.weights[static_cast<std::size_t>(n * p.in + k)]) * static_cast<double>(p.input[static_cast<std::size_t>(m * p.in + k)]);
        sum += term;
        size += std::abs(term);
      }
      ASSERT_NEAR(static_cast<double>(found[static_cast<std::size_t>(m * stride + n)]), sum, 1e-6 * size) << "row " << m << ", output " << n;
    }
}

TEST(Products, EveryCutGivesTheSameBitsAndTheWrittenOutSum) {
  if (!device_is_there()) GTEST_SKIP() << "no CUDA device is here";
  const Device device;
  for (const auto& [out, in] : {std::pair{16, 32}, std::pair{37, 96}, std::pair{131, 288}})
    for (const int rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 31, 64}) {
      const Problem problem = random_problem(out, in, rows);
      std::vector<float> first;
      for (const CutTrial& cut : cut_trials()) {
        if (cut.most_rows < rows || cut.most_rows > 2 * rows + 6) continue;
        const std::vector<float> found = product_on_device(device, problem, cut);
        if (first.empty()) expect_product(problem, first = found);
        EXPECT_EQ(found, first) << out << " x " << in << ", " << rows << " rows, cut " << cut.blocks << " x " << cut.stages;
      }
      EXPECT_FALSE(first.empty());
    }
}

}  // namespace
}  // namespace speclab::engines::cuda
