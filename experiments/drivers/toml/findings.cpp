#include "experiments/drivers/toml/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::experiments {

void Findings::add(const ConfigPlace& where, const std::string& key, const std::string& message) {
  if (places_.insert(where).second) findings_.push_back({where, key, message});
}

bool Findings::concerns(const std::string& key) const {
  return std::ranges::any_of(findings_, [&](const Finding& finding) {
    return finding.key == key || finding.key.starts_with(key + ".");
  });
}

bool Findings::is_about(const std::string& key) const {
  return std::ranges::find(findings_, key, &Finding::key) != findings_.end();
}

void Findings::throw_if_any() const {
  if (findings_.empty()) return;
  std::vector<Finding> sorted = findings_;
  std::ranges::stable_sort(sorted,
                           [](const Finding& a, const Finding& b) { return a.where < b.where; });
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostShown); ++i)
    text += fmt::format("{}{}: {}{}", i == 0 ? "" : "\n", sorted[i].where.text(), sorted[i].message,
                        sorted[i].where.excerpt());
  if (sorted.size() > kMostShown) text += fmt::format("\nand {} more", sorted.size() - kMostShown);
  throw ConfigError(text);
}

}  // namespace speclab::experiments
