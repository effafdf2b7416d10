#include "experiments/drivers/compose/place_counts.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "engines/interface/names.h"
#include "sim/core/token_tree.h"
#include "sim/system/data_folder.h"
#include "sim/system/versions.h"

namespace speclab::experiments {
namespace {

constexpr const char* kCountsFile = "/acceptance.csv";
/// Share of first tokens that are kept, at most: a text of a thousand places ends its last run.
constexpr double kMostKept = 0.999;

/// Counts of drafters that read no model.
std::string counts_without_model(const std::string& kind) {
  return data_folder() + "/results/reference/drafter_acceptance_cpu/" + kind + ".csv";
}

bool is_file(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none);
}

}  // namespace

std::string counts_of_drafter(const std::string& drafter) {
  std::vector<std::string> places{drafter, "results/models/" + drafter,
                                  data_folder() + "/results/models/" + drafter};
  const auto traits = std::ranges::find(engines::kDrafters, drafter, &engines::DrafterTraits::name);
  if (traits != engines::kDrafters.end() && *traits->model != '\0')
    places = {data_folder() + "/results/models/" + traits->model};
  for (const std::string& place : places) {
    if (is_file(place + kCountsFile)) return place + kCountsFile;
    if (const std::string path = newest_version(place) + kCountsFile; is_file(path)) return path;
  }
  const std::string path = counts_without_model(drafter);
  return drafter.find('/') == std::string::npos && is_file(path) ? path : "";
}

std::vector<analysis::DrafterCounts> rows_of(const std::vector<analysis::DrafterCounts>& counts,
                                             const std::string& drafter) {
  std::vector<analysis::DrafterCounts> rows;
  std::ranges::copy_if(counts, std::back_inserter(rows), [&](const analysis::DrafterCounts& row) {
    return row.setting.drafter == drafter;
  });
  return rows;
}

std::optional<int> most_levels(const std::vector<analysis::DrafterCounts>& counts) {
  const int deepest = std::ranges::max(counts, {}, &analysis::DrafterCounts::depth).depth;
  const int looked_at = TreeShape::parse(counts.front().setting.tree, deepest).depth();
  return deepest < looked_at ? std::optional(deepest) : std::nullopt;
}

PlaceCounts::PlaceCounts(std::vector<analysis::DrafterCounts> counts,
                         std::optional<int> most_levels)
    : counts_(std::move(counts)), most_levels_(most_levels) {
  for (const analysis::DrafterCounts& row : counts_) {
    if (std::ranges::find(groups_, row.category) == groups_.end()) groups_.push_back(row.category);
    are_single_texts_ = are_single_texts_ && row.n_prompts == 1;
  }
}

std::vector<sim::PlaceAcceptance> PlaceCounts::laws() const {
  if (are_single_texts_) return {places_of(groups_)};
  std::vector<sim::PlaceAcceptance> laws;
  for (const std::string& group : groups_) laws.push_back(places_of({group}));
  return laws;
}

sim::PlaceAcceptance PlaceCounts::law_without(const std::string& group) const {
  std::vector<std::string> kept = groups_;
  std::erase(kept, group);
  return places_of(kept);
}

sim::PlaceAcceptance PlaceCounts::places_of(const std::vector<std::string>& groups) const {
  double positions = 0, drafts = 0;
  std::vector<double> accepted;  // by depth
  for (const analysis::DrafterCounts& row : counts_) {
    if (std::ranges::find(groups, row.category) == groups.end()) continue;
    const auto depth = static_cast<std::size_t>(row.depth);
    if (depth == 1) positions += static_cast<double>(row.positions);
    if (depth == 1) drafts += static_cast<double>(row.sums.drafts);
    if (accepted.size() < depth) accepted.resize(depth, 0.0);
    accepted[depth - 1] += row.sums.accepted;
  }
  sim::PlaceAcceptance places{
      .hit_rate = std::min(1.0, drafts / positions), .survival = {}, .most_levels = most_levels_};
  double before = std::min(places.hit_rate, kMostKept);
  for (const double kept : accepted)
    places.survival.push_back(before = std::min(before, kept / positions));
  return places;
}

}  // namespace speclab::experiments
