#include "analysis/stats/groups.h"

namespace speclab::analysis {
namespace {

enum class Categories : std::uint8_t { pooled, apart };

std::vector<Group> make_groups(const Run& run, Categories categories, const Baseline& baseline,
                               Bootstrap& bootstrap) {
  std::vector<Group> groups;
  std::map<std::pair<Setting, std::string>, std::size_t> index;
  for (const auto& g : run.generations) {
    const std::string category = categories == Categories::pooled ? "all" : g.category;
    const auto [found, is_new] = index.try_emplace({g.axes, category}, groups.size());
    if (is_new)
      groups.push_back({.axes = g.axes, .category = category, .generations = {}, .summary = {}});
    groups[found->second].generations.push_back(&g);
  }
  for (auto& group : groups) group.summary = summarise(group.generations, run, baseline, bootstrap);
  return groups;
}

}  // namespace

std::vector<Group> pooled_groups(const Run& run, const Baseline& baseline, Bootstrap& bootstrap) {
  return make_groups(run, Categories::pooled, baseline, bootstrap);
}

std::vector<Group> groups_by_category(const Run& run, const Baseline& baseline,
                                      Bootstrap& bootstrap) {
  return make_groups(run, Categories::apart, baseline, bootstrap);
}

}  // namespace speclab::analysis
