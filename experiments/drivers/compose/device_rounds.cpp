#include "experiments/drivers/compose/device_rounds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Microseconds of drafting.
struct DraftTimes {
  const char* drafter;
  double first, further;  ///< drafted token, greedy
  double law;             ///< more for each, above temperature 0
  double greedy_saving;   ///< for each, by planned kernels at temperature 0
  double law_saving;      ///< and above it
};

/// Writing a host's draft and starting the device behind it: a graph and its result, as timed by
/// ceilings.csv of gpu_h200.
constexpr double kHostTurn = 6.1;

/// `small_transformer`: costs.csv of gpu_walltime_vs_temperature_h200 at context 406.
/// `feature_transformer` was not timed: 8.7 + 5.5 for its layer, 2.5 for the fusion, 2.5 for the
/// embedding, 3.6 for the head and 4 for the choice, from kernels.csv; more in front as the small
/// transformer has. Drafts on the host: draft rows of walltime_vs_temperature_cpu at context 406.
/// Savings: no logits are spread to the target's vocabulary, laws are over the draft's own.
constexpr std::array kDraftTimes{
    DraftTimes{"small_transformer", 70.2, 62.2, 16.8, 2.5, 12.0},
    DraftTimes{"feature_transformer", 35.0, 26.8, 16.8, 0.0, 12.0},
    DraftTimes{"lookup_transformer", 35.0 + kHostTurn + 6.0, 26.8, 16.8, 0.0, 12.0},
    DraftTimes{"prompt_lookup", kHostTurn + 6.0, 0.2, 0.0, 0.0, 0.0},
    DraftTimes{"ngram", kHostTurn + 9.1, 3.7, 0.0, 0.0, 0.0},
};

/// The rest of a round: what it takes without drafts, with them, and for each of them; and what
/// planned kernels save. From the overheads of costs.csv of gpu_walltime_vs_temperature_h200.
struct RestTimes {
  double plain, drafting, per_draft, saving;
};
constexpr RestTimes kGreedyRest{13.0, 14.8, 0.5, 6.0};
constexpr RestTimes kSampledRest{30.9, 35.9, 1.3, 15.0};

const RestTimes& rest_of(bool is_sampled) { return is_sampled ? kSampledRest : kGreedyRest; }

const DraftTimes& times_of(const std::string& drafter) {
  const auto* const times = std::ranges::find(kDraftTimes, drafter, &DraftTimes::drafter);
  if (times == kDraftTimes.end())
    throw ConfigError(fmt::format("--drafter {}: no times of its drafts on a device; allowed: {}",
                                  escaped(drafter, 60), fmt::join(drafters_on_device(), ", ")));
  return *times;
}

double drafting_us(const RoundOnDevice& round, Kernels kernels) {
  const DraftTimes& times = times_of(round.drafter);
  double us = times.first + (round.drafts - 1) * times.further;
  if (round.is_sampled) us += round.drafts * times.law;
  if (kernels == Kernels::planned)
    us -= round.drafts * (round.is_sampled ? times.law_saving : times.greedy_saving);
  return us;
}

}  // namespace

std::vector<std::string> drafters_on_device() {
  std::vector<std::string> names;
  for (const DraftTimes& times : kDraftTimes) names.emplace_back(times.drafter);
  return names;
}

double round_us(const DeviceRule& device, const sim::PassShape& target, const RoundOnDevice& round,
                Kernels kernels) {
  const RestTimes& rest = rest_of(round.is_sampled);
  const double saved = kernels == Kernels::planned ? rest.saving : 0.0;
  return device.pass_us(target, {.rows = round.drafts + 1, .context = round.context}, kernels) +
         drafting_us(round, kernels) + rest.drafting + round.drafts * rest.per_draft - saved;
}

double plain_round_us(const DeviceRule& device, const sim::PassShape& target, bool is_sampled,
                      int context, Kernels kernels) {
  const RestTimes& rest = rest_of(is_sampled);
  const double saved = kernels == Kernels::planned ? rest.saving : 0.0;
  return device.pass_us(target, {.rows = 1, .context = context}, kernels) + rest.plain - saved;
}

}  // namespace speclab::experiments
