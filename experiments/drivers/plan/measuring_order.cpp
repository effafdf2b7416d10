#include "experiments/drivers/plan/plan_parts.h"

#include <algorithm>
#include <cmath>
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
  Ranks(std::size_t count, std::uint64_t seed, std::uint32_t stream, std::uint32_t turn)
      : rank_(count) {
    const std::vector<std::size_t> order = shuffled(count, seed, stream, turn);
    for (std::size_t i = 0; i < count; ++i) rank_[order[i]] = i;
  }
  std::size_t operator[](std::size_t value) const { return rank_[value]; }

 private:
  std::vector<std::size_t> rank_;
};

/// Cells of one model, temperature and category, which are compared with each other.
struct Rivals {
  std::vector<std::size_t> of_cell{};
  std::vector<std::size_t> num_cells{};  ///< by group

  explicit Rivals(const Plan& plan) {
    std::map<std::pair<Setting, std::string>, std::size_t> numbers;
    for (const Cell& cell : plan.cells) {
      of_cell.push_back(
          numbers.try_emplace({cell.setting.plain(), cell.category}, numbers.size()).first->second);
      num_cells.resize(numbers.size());
      ++num_cells[of_cell.back()];
    }
  }
};

/// The random orders of one repetition: of its prompts, and of each prompt's groups of rivals and
/// the cells of each group.
struct RepetitionOrder {
  Ranks prompts;
  std::vector<Ranks> groups{};                     ///< by prompt
  std::vector<std::vector<std::size_t>> places{};  ///< by prompt and cell: among those of its group

  RepetitionOrder(const Plan& plan, const Rivals& rivals, std::uint32_t turn)
      : prompts(plan.prompts.size(), plan.config.seed, 0, turn) {
    for (std::uint32_t prompt = 0; prompt < plan.prompts.size(); ++prompt) {
      groups.emplace_back(plan.cells.size(), plan.config.seed, 1 + 2 * prompt, turn);
      std::vector<std::size_t> placed(rivals.num_cells.size());
      places.emplace_back(plan.cells.size());
      for (const std::size_t cell :
           shuffled(plan.cells.size(), plan.config.seed, 2 + 2 * prompt, turn))
        places.back()[cell] = placed[rivals.of_cell[cell]]++;
    }
  }
};

/// Repetitions of plain decoding that its rivals lack lie at equal distances from its own place.
double place_of(const PlannedGeneration& generation, std::size_t own_place, std::size_t num_cells,
                const RunConfig& config) {
  const std::int32_t turn = generation.repetition / config.repetitions,
                     of_rivals = generation.repetition % config.repetitions;
  const std::int32_t turns =
      (config.repetitions_of_plain() - of_rivals + config.repetitions - 1) / config.repetitions;
  return std::fmod(static_cast<double>(own_place) +
                       static_cast<double>(turn) * static_cast<double>(num_cells) / turns,
                   static_cast<double>(num_cells));
}

}  // namespace

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, std::uint32_t stream,
                                  std::uint32_t turn) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const RngStream random(seed);
  for (std::size_t i = count; i > 1; --i) {
    const double uniform =
        random.uniform({stream, static_cast<std::uint32_t>(i), Purpose::order, turn});
    std::swap(order[i - 1], order[static_cast<std::size_t>(uniform * static_cast<double>(i))]);
  }
  return order;
}

std::vector<std::size_t> measuring_order(const Plan& plan) {
  using Key = std::tuple<std::int32_t, std::size_t, std::size_t,
                         double>;  // repetition of the rivals, prompt, group, place
  const Rivals rivals(plan);
  std::vector<RepetitionOrder> orders;
  for (std::int32_t repetition = 0; repetition < plan.config.repetitions; ++repetition)
    orders.emplace_back(plan, rivals, static_cast<std::uint32_t>(repetition));
  std::vector<std::pair<Key, std::size_t>> keyed;
  for (std::size_t row = 0; row < plan.generations.size(); ++row) {
    const PlannedGeneration& g = plan.generations[row];
    const RepetitionOrder& order = orders[static_cast<std::size_t>(plan.rival_repetition(g))];
    const std::size_t group = rivals.of_cell[g.cell];
    keyed.push_back(
        {{plan.rival_repetition(g), order.prompts[g.prompt], order.groups[g.prompt][group],
          place_of(g, order.places[g.prompt][g.cell], rivals.num_cells[group], plan.config)},
         row});
  }
  std::ranges::sort(keyed);
  std::vector<std::size_t> order;
  for (const auto& [key, row] : keyed) order.push_back(row);
  return order;
}

}  // namespace speclab::experiments
