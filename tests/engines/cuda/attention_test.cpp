// Attention of hand-made rows over a hand-made cache against the sum written out: trees, prefixes,
// numbers of rows and of splits.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "engines/cpu/bfloat16.h"
#include "engines/cuda/device.h"
#include "engines/cuda/device_memory.h"
#include "engines/cuda/kernels.h"
#include "tests/engines/cuda/random_tree.h"

namespace speclab::engines::cuda {
namespace {

constexpr int kSequence = 1, kSequences = 2;
constexpr std::uint16_t kStale = 0x7fc0;  ///< left in slots that no row sees: no number

struct Heads {
  int heads, kv_heads, head_dim;
};
constexpr Heads kHeads[]{{3, 3, 32}, {6, 2, 64}, {4, 1, 128}, {9, 3, 64}};

/// Rows of one sequence behind a committed prefix. Values are those of bfloat16.
struct Problem {
  Heads size;
  int prefix;
  std::vector<int> parents;  ///< of each row
  int unseen =
      0;  ///< last slots of the prefix that no row sees, as leaves of a tree's earlier levels
  std::vector<float> queries{}, keys{},
      values{};  ///< [rows, heads, head_dim], [kv_heads, slots, head_dim] twice

  int rows() const { return static_cast<int>(parents.size()); }
  int slots() const { return prefix + rows(); }
  std::size_t at(int kv_head, int slot, int d = 0) const {
    return static_cast<std::size_t>((kv_head * slots() + slot) * size.head_dim + d);
  }
  bool is_stale(int slot) const { return slot >= prefix - unseen && slot < prefix; }
  bool sees(int row, int slot) const {
    const auto path = path_to(parents, row);
    return slot < prefix - unseen || std::ranges::find(path, slot - prefix) != path.end();
  }
};

std::vector<float> normal_values(std::mt19937& random, int count, float deviation) {
  std::normal_distribution<float> normal(0.0f, deviation);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = cpu::from_bfloat16(cpu::to_bfloat16(normal(random)));
  return values;
}

/// Scores have a standard deviation of 2, so that some keys count and none alone.
Problem random_problem(std::mt19937& random, const Heads& size, int prefix,
                       std::vector<int> parents) {
  Problem p{size, prefix, std::move(parents)};
  p.queries = normal_values(random, p.rows() * size.heads * size.head_dim, 2.0f);
  p.keys = normal_values(random, p.slots() * size.kv_heads * size.head_dim, 1.0f);
  p.values = normal_values(random, p.slots() * size.kv_heads * size.head_dim, 1.0f);
  return p;
}

std::vector<int> chain(int rows) {
  std::vector<int> parents;
  for (int i = 0; i < rows; ++i) parents.push_back(i - 1);
  return parents;
}

ForwardState state_of(const Problem& p) {
  ForwardState state{};
  state.num_rows = p.rows();
  state.num_groups = 1;
  state.groups[0] = {0, p.rows(), kSequence, p.slots(), p.prefix};
  for (int row = 0; row < p.rows(); ++row) {
    std::uint64_t extra = 0;
    for (const int node : path_to(p.parents, row)) extra |= std::uint64_t{1} << node;
    state.rows[row] = {0, 0, kSequence, p.prefix + row, p.prefix - p.unseen, p.prefix, extra};
  }
  return state;
}

/// As the cache keeps them, in one of its sequences.
std::vector<std::uint16_t> cached(const Problem& p, const std::vector<float>& values, int capacity,
                                  bool is_by_dimension) {
  const int kv_heads = p.size.kv_heads, head_dim = p.size.head_dim;
  std::vector<std::uint16_t> cache(
      static_cast<std::size_t>(kSequences * kv_heads * capacity * head_dim), kStale);
  for (int head = 0; head < kv_heads; ++head)
    for (int slot = 0; slot < p.slots(); ++slot)
      for (int d = 0; d < head_dim && !p.is_stale(slot); ++d) {
        const int within = is_by_dimension ? d * capacity + slot : slot * head_dim + d;
        cache[static_cast<std::size_t>((kSequence * kv_heads + head) * capacity * head_dim +
                                       within)] = cpu::to_bfloat16(values[p.at(head, slot, d)]);
      }
  return cache;
}

/// @param splits  what the grid was made for, at least those in use @return [rows, heads, head_dim]
std::vector<float> attended_on_device(const Device& device, const Problem& p, int splits) {
  const int capacity = splits * keys_per_split(p.size.head_dim),
            tiles = (p.rows() * (p.size.heads / p.size.kv_heads) + 15) / 16;
  const auto parts = static_cast<std::size_t>(tiles * p.size.kv_heads * splits * 16);
  std::vector<std::uint16_t> queries;
  for (const float value : p.queries) queries.push_back(cpu::to_bfloat16(value));
  const ForwardState state = state_of(p);
  const auto device_state = on_device<ForwardState>(std::span<const ForwardState>(&state, 1));
  const auto device_queries = on_device<std::uint16_t>(queries),
             keys = on_device<std::uint16_t>(cached(p, p.keys, capacity, false)),
             values = on_device<std::uint16_t>(cached(p, p.values, capacity, true));
  const PinnedArray<std::uint16_t> output(queries.size());
  const DeviceArray<float> partial_outputs(parts * static_cast<std::size_t>(p.size.head_dim));
  const DeviceArray<std::uint64_t> partial_sums(parts);
  const auto arrivals =
      zeros_on_device<std::int32_t>(static_cast<std::size_t>(tiles * p.size.kv_heads));
  AttentionBuffers a{device_queries.data(),  keys.data(),
                     values.data(),          output.data(),
                     partial_outputs.data(), reinterpret_cast<float2*>(partial_sums.data()),
                     arrivals.data(),        nullptr,
                     p.size.heads,           p.size.kv_heads,
                     p.size.head_dim,        capacity};
  launch_attention(device_state.data(), a, {p.rows(), 0, 1, p.rows(), splits}, device.context());
  device.synchronize();
  std::vector<float> attended;
  for (std::size_t i = 0; i < output.size(); ++i)
    attended.push_back(cpu::from_bfloat16(output.data()[i]));
  return attended;
}

/// Softmax of one row's scores; nothing where it does not see.
std::vector<double> weights_of(const Problem& p, int row, int head) {
  const int kv_head = head / (p.size.heads / p.size.kv_heads);
  std::vector<double> weights(static_cast<std::size_t>(p.slots()), 0.0);
  double total = 0.0;
  for (int slot = 0; slot < p.slots(); ++slot) {
    if (!p.sees(row, slot)) continue;
    double score = 0.0;
    for (int d = 0; d < p.size.head_dim; ++d)
      score += static_cast<double>(p.queries[static_cast<std::size_t>(
                   (row * p.size.heads + head) * p.size.head_dim + d)]) *
               static_cast<double>(p.keys[p.at(kv_head, slot, d)]);
    total += weights[static_cast<std::size_t>(slot)] =
        std::exp(score / std::sqrt(static_cast<double>(p.size.head_dim)));
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

/// The weights and the result are rounded to bfloat16, by 2^-8 of themselves at most; a hundredth
/// for the float sums.
constexpr double kRounding = 1.01 * 0x1p-7;

void expect_row(const Problem& p, int row, const std::vector<float>& attended) {
  for (int head = 0; head < p.size.heads; ++head) {
    const std::vector<double> weights = weights_of(p, row, head);
    for (int d = 0; d < p.size.head_dim; ++d) {
      double sum = 0.0, size = 0.0;
      for (int slot = 0; slot < p.slots(); ++slot) {
        const double term =
            weights[static_cast<std::size_t>(slot)] *
            static_cast<double>(p.values[p.at(head / (p.size.heads / p.size.kv_heads), slot, d)]);
        sum += term;
        size += std::abs(term);
      }
      ASSERT_NEAR(static_cast<double>(attended[static_cast<std::size_t>(
                      (row * p.size.heads + head) * p.size.head_dim + d)]),
                  sum, kRounding * size)
          << "row " << row << " of " << p.rows() << " behind " << p.prefix << ", head " << head
          << ", dimension " << d;
    }
  }
}

/// Splits of a pass as LlamaCuda gives them to a grid: a power of two.
int splits_of(const Problem& p) {
  return std::max(2, static_cast<int>(std::bit_ceil(
                         static_cast<unsigned>((p.slots() + keys_per_split(p.size.head_dim) - 1) /
                                               keys_per_split(p.size.head_dim)))));
}

class Attention : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device_is_there()) GTEST_SKIP() << "no CUDA device is here";
    device_ = std::make_unique<Device>();
  }
  void expect_written_out_sum(const Problem& p, int splits) {
    const std::vector<float> attended = attended_on_device(*device_, p, splits);
    for (int row = 0; row < p.rows(); ++row) expect_row(p, row, attended);
  }

  std::mt19937 random_{31};
  std::unique_ptr<Device> device_;
};

TEST_F(Attention, OfTreesOfEverySizeIsTheWrittenOutSum) {
  for (const Heads& size : kHeads)
    for (const int prefix :
         {1, keys_per_split(size.head_dim) - 1 - static_cast<int>(random_() % 30)})
      for (const int nodes :
           {2, 3 + static_cast<int>(random_() % 30), 33 + static_cast<int>(random_() % 30), 64}) {
        const Problem p = random_problem(random_, size, prefix, random_tree(random_, nodes));
        expect_written_out_sum(p, splits_of(p));
      }
}

/// Equal scores, and values that are 1 in a dimension of their own: what comes out names the keys
/// that were seen.
TEST_F(Attention, SeesTheAncestorsOfARowAndNothingBesideThem) {
  for (const int prefix : {1, 100, keys_per_split(64) - 20, keys_per_split(64)})
    for (const int nodes : {2, 31, 33, 64}) {
      Problem p = random_problem(random_, {6, 2, 64}, prefix, random_tree(random_, nodes));
      std::ranges::fill(p.keys, 0.0f);
      std::ranges::fill(p.values, 0.0f);
      for (int head = 0; head < 2; ++head)
        for (int node = 0; node < nodes; ++node) p.values[p.at(head, prefix + node, node)] = 1.0f;
      const std::vector<float> attended = attended_on_device(*device_, p, splits_of(p));
      for (int row = 0; row < nodes; ++row)
        for (int head = 0; head < 6; ++head)
          for (int node = 0; node < nodes; ++node)
            EXPECT_EQ(attended[static_cast<std::size_t>((row * 6 + head) * 64 + node)] > 0.0f,
                      p.sees(row, prefix + node))
                << "row " << row << ", node " << node << ", prefix " << prefix;
    }
}

TEST_F(Attention, OfEveryNumberOfRowsIsTheWrittenOutSum) {
  for (const Heads& size : kHeads)
    for (int rows = 1; rows <= 16; ++rows) {
      const Problem p =
          random_problem(random_, size, keys_per_split(size.head_dim) - 8, chain(rows));
      expect_written_out_sum(p, splits_of(p));
    }
}

/// An overflowed pass left values that are no numbers, before the rows and behind them.
TEST_F(Attention, IsNotPoisonedByWhatNoRowSees) {
  for (const Heads& size : kHeads)
    for (const auto& [prefix, unseen] :
         {std::pair{40, 1}, std::pair{100, 9}, std::pair{keys_per_split(size.head_dim) - 3, 33},
          std::pair{keys_per_split(size.head_dim), 40}}) {
      Problem p = random_problem(random_, size, prefix, random_tree(random_, 6));
      p.unseen = unseen;
      expect_written_out_sum(p, splits_of(p));
    }
}

/// From 33 splits on the lanes that weigh them take a second turn; of 64 the weights are kept.
TEST_F(Attention, OfAnyNumberOfSplitsIsTheWrittenOutSum) {
  constexpr int kDim = 32, kKeys = keys_per_split(kDim);
  for (const int keys : {1, kKeys - 1, kKeys, kKeys + 1, 2 * kKeys, 32 * kKeys, 32 * kKeys + 1,
                         64 * kKeys, 64 * kKeys + 1}) {
    const Problem p = random_problem(random_, {2, 1, kDim}, keys - 1, chain(1));
    const int used = (keys + kKeys - 1) / kKeys;
    expect_written_out_sum(p, used);
    if (used != splits_of(p)) expect_written_out_sum(p, splits_of(p));
  }
  for (const Heads& size : {Heads{6, 2, 64}, Heads{4, 1, 128}})
    expect_written_out_sum(random_problem(random_, size, 4300, random_tree(random_, 5)), 34);
}

/// The heaviest key stands in one split after the other.
TEST_F(Attention, FindsAKeyInWhicheverSplitItIs) {
  constexpr int kDim = 32, kSplits = 66, kKeys = kSplits * keys_per_split(kDim);
  Problem p = random_problem(random_, {1, 1, kDim}, kKeys - 1, chain(1));
  for (const int split : {0, 31, 32, 63, 64, 65}) {
    Problem marked = p;
    const int slot = split * keys_per_split(kDim) + 77;
    for (int d = 0; d < kDim; ++d) {
      marked.keys[p.at(0, slot, d)] = 4.0f * p.queries[static_cast<std::size_t>(d)];
      marked.values[p.at(0, slot, d)] = static_cast<float>(100 + d);
    }
    const std::vector<float> attended = attended_on_device(*device_, marked, kSplits);
    expect_row(marked, 0, attended);
    EXPECT_GT(attended[0], 90.0f) << "split " << split;
  }
}

}  // namespace
}  // namespace speclab::engines::cuda
