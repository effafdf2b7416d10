// The emulation's adversarial order finds planted defects that the order of the launches hides. The
// engine's passes and rounds give the same bits in both orders.

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <stdexcept>

#include "engines/cuda/device.h"
#include "engines/cuda/device_memory.h"
#include "engines/cuda/kernels/launch.cuh"
#include "tests/engines/cuda/device_rounds.h"
#include "tests/engines/cuda/every_head_size.h"
#include "tests/support/cuda_emulation/include/engines/cuda/kernels/device_instructions.cuh"
#include "tests/support/cuda_emulation/stream_order.h"

namespace speclab::engines::cuda {
namespace {

using cuda_emulation::AdversarialOrder;

constexpr int kOld = 3, kNew = 8, kBlocks = 12, kThreads = 64;

__global__ void write_new(int* value) {
  let_next_kernel_start();
  wait_for_previous_kernel();
  *value = kNew;
}

__global__ void read_behind_the_wait(const int* value, int* seen) {
  let_next_kernel_start();
  wait_for_previous_kernel();
  if (threadIdx.x == 0) seen[blockIdx.x] = *value;
}

__global__ void read_before_the_wait(const int* value, int* seen) {
  let_next_kernel_start();
  const int early = *value;
  wait_for_previous_kernel();
  if (threadIdx.x == 0) seen[blockIdx.x] = early;
}

__global__ void wait_alone() {
  let_next_kernel_start();
  wait_for_previous_kernel();
}

__global__ void return_before_the_wait(int blocks_that_wait) {
  let_next_kernel_start();
  if (static_cast<int>(blockIdx.x) >= blocks_that_wait) return;
  wait_for_previous_kernel();
}

enum class Fence {
  none,
  of_one_thread_before_the_barrier,
  of_one_thread_behind_the_barrier,
  of_every_thread
};

/// The last block to arrive adds what all have left.
__global__ void sum_of_blocks(int* parts, int* arrivals, int* sum, Fence before, Fence behind) {
  wait_for_previous_kernel();
  const bool is_first = threadIdx.x == 0;
  if (is_first) parts[blockIdx.x] = 1;
  if (before == Fence::of_every_thread ||
      (before == Fence::of_one_thread_before_the_barrier && is_first))
    __threadfence();
  __syncthreads();
  if (!is_first) return;
  if (before == Fence::of_one_thread_behind_the_barrier) __threadfence();
  if (atomicAdd(arrivals, 1) != kBlocks - 1) return;
  if (behind != Fence::none) __threadfence();
  int total = 0;
  for (int i = 0; i < kBlocks; ++i) total += __ldcg(parts + i);
  *sum = total;
}

class OverlappingStarts : public ::testing::Test {
 protected:
  OverlappingStarts() {
    *value_.data() = kOld;
    std::fill_n(seen_.data(), kBlocks, kOld);
  }

  template <typename... Parameters, typename... Arguments>
  void put(Start start, void (*kernel)(Parameters...), int blocks, Arguments&&... arguments) {
    launch(start, kernel, dim3(static_cast<unsigned>(blocks)), kThreads, 0, device_.context(),
           std::forward<Arguments>(arguments)...);
  }

  /// @return what the blocks of a reading kernel saw that `kernels` put, in the order of the
  /// launches or in the adversarial one
  std::vector<int> seen_in_turn(const std::function<void()>& kernels) {
    *value_.data() = kOld;
    kernels();
    device_.synchronize();
    return {seen_.data(), seen_.data() + kBlocks};
  }
  std::vector<int> seen_adversarially(const std::function<void()>& kernels) {
    const AdversarialOrder order;
    return seen_in_turn(kernels);
  }

  /// @return the sum, or what was thrown
  std::string sum_with(Fence before, Fence behind) {
    const auto parts = zeros_on_device<int>(kBlocks), arrivals = zeros_on_device<int>(1);
    const PinnedArray<int> sum(1);
    try {
      put(Start::in_turn, sum_of_blocks, kBlocks, parts.data(), arrivals.data(), sum.data(), before,
          behind);
      device_.synchronize();
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return std::to_string(*sum.data());
  }

  static std::vector<int> all(int value) { return std::vector<int>(kBlocks, value); }

  Device device_;
  PinnedArray<int> value_{1}, seen_{kBlocks};
};

TEST_F(OverlappingStarts, OfKernelsThatWaitShowWhatTheKernelInFrontWrote) {
  const auto kernels = [&] {
    put(Start::in_turn, write_new, 1, value_.data());
    put(Start::overlapping, wait_alone, kBlocks);
    put(Start::overlapping, read_behind_the_wait, kBlocks, value_.data(), seen_.data());
  };
  EXPECT_EQ(seen_in_turn(kernels), all(kNew));
  EXPECT_EQ(seen_adversarially(kernels), all(kNew));
}

TEST_F(OverlappingStarts, FindAReadBeforeTheWait) {
  const auto kernels = [&](Start start) {
    put(Start::in_turn, write_new, 1, value_.data());
    put(start, read_before_the_wait, kBlocks, value_.data(), seen_.data());
  };
  EXPECT_EQ(seen_in_turn([&] { kernels(Start::overlapping); }), all(kNew))
      << "the ordinary order is not expected to find it";
  EXPECT_NE(seen_adversarially([&] { kernels(Start::overlapping); }), all(kNew));
  EXPECT_EQ(seen_adversarially([&] { kernels(Start::in_turn); }), all(kNew))
      << "a kernel in turn need not wait";
}

TEST_F(OverlappingStarts, FindAKernelWhoseBlocksAllReturnBeforeTheWait) {
  const auto kernels = [&](int blocks_that_wait) {
    put(Start::in_turn, write_new, 1, value_.data());
    put(Start::overlapping, return_before_the_wait, kBlocks, blocks_that_wait);
    put(Start::overlapping, read_behind_the_wait, kBlocks, value_.data(), seen_.data());
  };
  EXPECT_EQ(seen_in_turn([&] { kernels(0); }), all(kNew))
      << "the ordinary order is not expected to find it";
  EXPECT_EQ(seen_adversarially([&] { kernels(0); }), all(kOld));
  EXPECT_EQ(seen_adversarially([&] { kernels(1); }), all(kNew))
      << "one block that waits keeps the chain of completions";
}

TEST_F(OverlappingStarts, FindAKernelThatReturnsBeforeTheWaitWithinAGraph) {
  const Graph graph(device_.context(), [&] {
    put(Start::in_turn, write_new, 1, value_.data());
    put(Start::overlapping, return_before_the_wait, kBlocks, 0);
    put(Start::in_turn, read_behind_the_wait, kBlocks, value_.data(), seen_.data());
  });
  EXPECT_EQ(seen_in_turn([&] { graph.launch(device_.context()); }), all(kNew));
  EXPECT_EQ(seen_adversarially([&] { graph.launch(device_.context()); }), all(kOld))
      << "the edge in front of a kernel in turn leads to one kernel alone";
}

/// Defect: an early read that finds the value of the graph before, which is the same.
TEST_F(OverlappingStarts, FindAnEarlyReadOfWhatTheGraphBeforeLeft) {
  const DeviceArray<int> filled_by_kernels(1), state = zeros_on_device<int>(1);
  const auto seen_by_the_second = [&](const DeviceArray<int>& value, auto* reader) {
    const Graph graph(device_.context(), [&] {
      put(Start::in_turn, write_new, 1, value.data());
      put(Start::overlapping, reader, kBlocks, value.data(), seen_.data());
    });
    return seen_adversarially([&] {
      graph.launch(device_.context());
      graph.launch(device_.context());
    });
  };
  EXPECT_NE(seen_by_the_second(filled_by_kernels, read_before_the_wait), all(kNew));
  EXPECT_EQ(seen_by_the_second(filled_by_kernels, read_behind_the_wait), all(kNew));
  EXPECT_EQ(seen_by_the_second(state, read_before_the_wait), all(kNew))
      << "what the host wrote is kept from graph to graph";
}

/// Defect: a grid of too few splits, whose counter never turns back to zero: the output stays what
/// it was.
TEST_F(OverlappingStarts, OfAttentionRefuseGroupsOfMoreKeysThanTheGridHas) {
  ForwardState state{};
  state.num_rows = state.num_groups = 1;
  state.groups[0] = {0, 1, 0, keys_per_split(32) + 1, 0};
  const auto device_state = on_device<ForwardState>(std::span<const ForwardState>(&state, 1));
  AttentionBuffers buffers{};
  buffers.heads = buffers.kv_heads = 1;
  buffers.head_dim = 32;
  EXPECT_THROW(launch_attention(device_state.data(), buffers, {1, 0, 1, 1, 1}, device_.context()),
               std::logic_error);
}

TEST_F(OverlappingStarts, FindAMissingFence) {
  const std::string before = "an arrival without a fence before it",
                    between = "a read behind an arrival without a fence between them",
                    right = std::to_string(kBlocks);
  EXPECT_EQ(sum_with(Fence::of_every_thread, Fence::of_every_thread), right);
  EXPECT_EQ(sum_with(Fence::of_one_thread_behind_the_barrier, Fence::of_every_thread), right);
  EXPECT_EQ(sum_with(Fence::none, Fence::of_every_thread), before);
  EXPECT_EQ(sum_with(Fence::of_one_thread_before_the_barrier, Fence::of_every_thread), before)
      << "what the other threads wrote is not fenced";
  EXPECT_EQ(sum_with(Fence::of_every_thread, Fence::none), between);
}

}  // namespace
}  // namespace speclab::engines::cuda

namespace speclab::engines {
namespace {

using cuda_emulation::AdversarialOrder;

class OverlappingPass : public testing::EveryHeadSize {
 protected:
  /// Logits, then hidden states, of a prompt of several passes that crosses the border of two
  /// splits, of a tree behind it, and of what follows.
  std::vector<std::vector<float>> all_results() {
    const auto cache = fast_->make_cache(1, cuda::keys_per_split(config().head_dim) + 64);
    const std::int32_t slot = cache->begin();
    const std::int32_t length = cuda::keys_per_split(config().head_dim) + 3;
    std::vector<Token> prompt(static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < prompt.size(); ++i) prompt[i] = static_cast<Token>(i * 37 % 263);
    std::vector<std::vector<float>> results = testing::commit_all(*fast_, *cache, slot, prompt);
    std::vector<ForwardRow> tree{{40, length, slot, ForwardRow::kCommitted},
                                 {41, length + 1, slot, 0},
                                 {42, length + 1, slot, 0},
                                 {43, length + 2, slot, 1},
                                 {44, length + 2, slot, 2}};
    for (ForwardRow& row : tree) row.wants_hidden = true;
    const ForwardResult result = fast_->forward(tree, *cache);
    results.emplace_back(result.logits.begin(), result.logits.end());
    results.emplace_back(result.hidden.begin(), result.hidden.end());
    cache->commit(slot, std::vector<std::int32_t>{0, 2, 4});
    for (auto& row : testing::commit_all(*fast_, *cache, slot, std::vector<Token>{7, 8, 9}))
      results.push_back(std::move(row));
    return results;
  }
};

TEST_P(OverlappingPass, GivesTheSameBitsInTheAdversarialOrder) {
  std::optional<AdversarialOrder> order(std::in_place);
  const auto adversarial =
      all_results();  // first, so that buffers hold NaN where a kernel reads too early
  order.reset();
  EXPECT_EQ(adversarial, all_results());
}

INSTANTIATE_TEST_SUITE_P(HeadSizes, OverlappingPass,
                         ::testing::ValuesIn(testing::head_sizes({1}, {1, 2})));

class OverlappingRounds : public testing::DeviceRounds {
 protected:
  void expect_same(const DecoderOptions& options) {
    std::optional<AdversarialOrder> order(std::in_place);
    const GenerationRecord adversarial = decode(*on_device(options), 1, ConstantPolicy(3), 120);
    order.reset();
    const GenerationRecord in_turn = decode(*on_device(options), 1, ConstantPolicy(3), 120);
    EXPECT_EQ(adversarial.output_ids, in_turn.output_ids);
    EXPECT_EQ(adversarial.fates, in_turn.fates);
    ASSERT_EQ(adversarial.rounds.size(), in_turn.rounds.size());
    for (std::size_t i = 0; i < in_turn.rounds.size(); ++i) {
      EXPECT_EQ(adversarial.rounds[i].drafted, in_turn.rounds[i].drafted) << "round " << i;
      EXPECT_EQ(adversarial.rounds[i].accepted, in_turn.rounds[i].accepted) << "round " << i;
    }
  }
};

TEST_F(OverlappingRounds, OfChainsGiveTheSameTokensInTheAdversarialOrder) {
  for (const double temperature : temperatures())
    expect_same(options("small_transformer", temperature, 14));
}

TEST_F(OverlappingRounds, OfTreesGiveTheSameTokensInTheAdversarialOrder) {
  for (const double temperature : temperatures())
    for (const char* tree : {"3x2x1", "parents:0,0,2,3,3,5"}) {
      DecoderOptions trees = options("small_transformer", temperature, 9);
      trees.drafter.tree = tree;
      expect_same(trees);
    }
}

/// Defect: a kernel of drafts that is read before it has ended, or reads too early.
TEST_F(OverlappingRounds, OfHostsDraftsAndReadersOfStatesGiveTheSameTokensInTheAdversarialOrder) {
  DecoderShape shape = testing::small_config();
  shape.num_layers = 3;
  load_features(shape, 3);
  expect_same(options("prompt_lookup", 1.0, 9));
  for (const char* tree : {"chain", "2x2"}) {
    DecoderOptions readers = options("feature_transformer", 1.0, 9);
    readers.drafter.tree = tree;
    expect_same(readers);
  }
}

/// A level whose nodes have no children leaves a pass of no rows.
TEST_F(OverlappingRounds, OfTreesThatLackALevelGiveTheSameTokensInTheAdversarialOrder) {
  DecoderOptions cold = options("small_transformer", 0.004, 9);
  cold.drafter.tree = "parents:0,0,0,3,3,5";
  expect_same(cold);
}

}  // namespace
}  // namespace speclab::engines
