#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace speclab::experiments {

struct Plan;

/// Row ids as they are measured: repetitions one after the other; in each the prompts in random
/// order; of a prompt the models and temperatures in random order; of these the cells in random
/// order. What plain decoding is repeated more often than its rivals lies among them, at equal
/// distances.
std::vector<std::size_t> measuring_order(const Plan& plan);

/// 0 to count - 1 in random order. @param stream, turn  which shuffle of which family it is
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, std::uint32_t stream,
                                  std::uint32_t turn);

}  // namespace speclab::experiments
