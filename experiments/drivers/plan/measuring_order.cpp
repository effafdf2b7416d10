#include "experiments/drivers/plan/measuring_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "experiments/drivers/plan/plan.h"
#include "sim/core/rng_stream.h"

namespace speclab::experiments {
namespace {

/// Place of every value in a random order of all of them.
class Ranks {
 public:
  Ranks(std::size_t count, std::uint64_t seed, std::uint32_t stream, std::uint32_t turn) : rank_(count) {
    const std::vector<std::size_t> order = shuffled(count, seed, stream, turn);
    for (std::size_t i = 0; i < count; ++i) rank_[order[i]] = i;
  }
  std::size_t operator[](std::size_t value) const { return rank_[value]; }

 private:
  std::vector<std::size_t> rank_;
};

/// Model and temperature of every cell as one number.
std::vector<std::size_t> pair_of_cell(const Plan& plan) {
  std::map<std::pair<std::string, double>, std::size_t> pairs;
  std::vector<std::size_t> numbers;
  for (const Cell& cell : plan.cells) numbers.push_back(pairs.try_emplace({cell.model, cell.temperature}, pairs.size()).first->second);
  return numbers;
}

/// The random orders of one repetition: of its prompts, and of each prompt's settings and cells.
struct RepetitionOrder {
  Ranks prompts;
  std::vector<Ranks> pairs{}, cells{};  ///< by prompt

  RepetitionOrder(const Plan& plan, std::uint32_t turn) : prompts(plan.prompts.size(), plan.config.seed, 0, turn) {
    for (std::uint32_t prompt = 0; prompt < plan.prompts.size(); ++prompt) {
      pairs.emplace_back(plan.cells.size(), plan.config.seed, 1 + 2 * prompt, turn);
      cells.emplace_back(plan.cells.size(), plan.config.seed, 2 + 2 * prompt, turn);
    }
  }
};

}  // namespace

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, std::uint32_t stream, std::uint32_t turn) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const RngStream random(seed);
  for (std::size_t i = count; i > 1; --i) {
    const double uniform = random.uniform({stream, static_cast<std::uint32_t>(i), Purpose::order, turn});
    std::swap(order[i - 1], order[static_cast<std::size_t>(uniform * static_cast<double>(i))]);
  }
  return order;
}

std::vector<std::size_t> measuring_order(const Plan& plan) {
  using Key = std::tuple<std::int32_t, std::size_t, std::size_t, std::size_t>;  // repetition, prompt, pair, cell
  const std::vector<std::size_t> pairs = pair_of_cell(plan);
  std::vector<RepetitionOrder> orders;
  for (std::int32_t repetition = 0; repetition < plan.config.repetitions; ++repetition) orders.emplace_back(plan, static_cast<std::uint32_t>(repetition));
  std::vector<std::pair<Key, std::size_t>> keyed;
  for (std::size_t row = 0; row < plan.generations.size(); ++row) {
    const auto& [cell, prompt, repetition] = plan.generations[row];
    const RepetitionOrder& order = orders[static_cast<std::size_t>(repetition)];
    keyed.push_back({{repetition, order.prompts[prompt], order.pairs[prompt][pairs[cell]], order.cells[prompt][cell]}, row});
  }
  std::ranges::sort(keyed);
  std::vector<std::size_t> order;
  for (const auto& [key, row] : keyed) order.push_back(row);
  return order;
}

}  // namespace speclab::experiments
