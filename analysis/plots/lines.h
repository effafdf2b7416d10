#pragma once
// Which groups of a run make up one line of a figure.

#include <string>
#include <vector>

#include "analysis/stats/groups.h"
#include "analysis/tables/manifest.h"

namespace speclab::analysis {

/// The groups that differ only in model, temperature and category.
struct Line {
  std::string name;        ///< drafter and whatever else tells it from the other lines
  std::size_t colour = 0;  ///< 0 for plain decoding
  std::vector<const Group*> groups;

  bool is_plain() const { return groups.front()->axes.is_plain(); }
};

/// Plain decoding first, then the others in the order of `groups`.
std::vector<Line> make_lines(const std::vector<Group>& groups);

/// The name of the line that `group`, one of `groups`, is part of.
std::string line_name(const std::vector<Group>& groups, const Group& group);

/// The model that figures over other axes show: the first trained target of the manifest that has
/// groups, else the first.
std::string primary_model(const Manifest& manifest, const std::vector<Group>& groups);

/// The groups of the lines for which `keep` holds; lines that have none are left out.
template <typename Predicate>
std::vector<Line> filtered(const std::vector<Line>& lines, Predicate keep) {
  std::vector<Line> result;
  for (Line line : lines) {
    std::erase_if(line.groups, [&](const Group* group) { return !keep(*group); });
    if (!line.groups.empty()) result.push_back(std::move(line));
  }
  return result;
}

}  // namespace speclab::analysis
