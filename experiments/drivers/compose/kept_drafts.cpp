#include "experiments/drivers/compose/kept_drafts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "experiments/drivers/compose/place_counts.h"
#include "sim/monte_carlo/simulated_generation.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kTextTokens = 128, kTexts = 100;
constexpr std::uint64_t kSeedOfTexts = 1;  ///< so that equal files give equal rounds

RoundsOfText rounds_of_law(const sim::PlaceAcceptance& places, int speculation_length) {
  sim::PlaceProcess process(places);
  const sim::GenerationPlan text{.new_tokens = kTextTokens,
                                 .prompt_tokens = 0,
                                 .end_rule = sim::EndRule::drafts_what_can_be_emitted};
  const sim::GenerationPrediction mean =
      sim::simulate_generation(ConstantPolicy(speculation_length), process, text, nullptr,
                               {.generations = kTexts, .seed = kSeedOfTexts})
          .mean;
  return {kTextTokens, mean.rounds, mean.drafting_rounds};
}

/// Rows of the temperature, or of the nearest ones on both sides.
std::vector<analysis::DrafterCounts> rows_at(const std::vector<analysis::DrafterCounts>& counts,
                                             const std::string& drafter, double temperature) {
  double below = -1, above = -1;
  for (const analysis::DrafterCounts& row : counts) {
    const double t = row.setting.temperature;
    if (t <= temperature) below = std::max(below, t);
    if (t >= temperature && (above < 0 || t < above)) above = t;
  }
  if (below < 0 || above < 0)
    throw ConfigError(fmt::format(
        "--temperature {}: the counts of {} have none on one side of it; allowed: temperatures "
        "between those that were counted",
        temperature, escaped(drafter, 60)));
  std::vector<analysis::DrafterCounts> rows;
  for (const analysis::DrafterCounts& row : counts)
    if (row.setting.temperature == below || row.setting.temperature == above) rows.push_back(row);
  return rows;
}

PlaceCounts counts_at(const std::string& drafter, double temperature) {
  const std::string path = counts_of_drafter(drafter);
  if (path.empty())
    throw DataError(fmt::format("no counts of {} were found", escaped(drafter, 60)));
  const std::vector<analysis::DrafterCounts> counts =
      rows_of(analysis::read_drafter_counts(path), drafter);
  if (counts.empty())
    throw DataError(
        fmt::format("{}: no counts of {}", escaped(path, kLongestPath), escaped(drafter, 60)));
  return {rows_at(counts, drafter, temperature), most_levels(counts)};
}

}  // namespace

void RoundsOfText::add(const RoundsOfText& other, double weight) {
  tokens += weight * other.tokens, rounds += weight * other.rounds;
  drafting_rounds += weight * other.drafting_rounds;
}

double RoundsOfText::speedup(double plain_us, double round_us) const {
  return tokens * plain_us / (drafting_rounds * round_us + (rounds - drafting_rounds) * plain_us);
}

std::vector<double> temperatures_on_device() { return {0.0, 0.25, 0.5, 0.75, 1.0}; }

KeptDrafts kept_drafts(const std::string& drafter, double temperature, int speculation_length) {
  const PlaceCounts counts = counts_at(drafter, temperature);
  std::vector<RoundsOfText> laws;
  for (const sim::PlaceAcceptance& law : counts.laws())
    laws.push_back(rounds_of_law(law, speculation_length));
  KeptDrafts result;
  for (const RoundsOfText& law : laws) result.mean.add(law, 1.0 / static_cast<double>(laws.size()));
  for (std::size_t left_out = 0; laws.size() > 1 && left_out < laws.size(); ++left_out) {
    RoundsOfText& others = result.without.emplace_back();
    for (std::size_t i = 0; i < laws.size(); ++i) others.add(laws[i], i == left_out ? 0 : 1);
  }
  if (laws.size() == 1 && counts.groups().size() > 1)
    for (const std::string& group : counts.groups())
      result.without.push_back(rounds_of_law(counts.law_without(group), speculation_length));
  return result;
}

}  // namespace speclab::experiments
