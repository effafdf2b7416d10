#include "sim/core/tree_growth.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "sim/core/errors.h"

namespace speclab {
namespace {

constexpr std::string_view kBestFirst = "best_first:", kBeam = "beam:";

[[noreturn]] void refuse(const std::string& text) {
  throw ConfigError("tree = \"" + escaped(text) + "\"; allowed: " + (text.starts_with(kBeam) ? "beam" : "best_first") +
                    ":NODES or with :CHILDREN behind it, NODES from 1 to 512, CHILDREN from 1 to NODES");
}

/// The integer that `text` begins with, less which it is left.
int take_integer(std::string_view& text, int most, const std::string& whole) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 1 || value > most) refuse(whole);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

TreeGrowth parse_grown(TreeGrowth::Kind kind, std::string_view numbers, const std::string& whole) {
  TreeGrowth growth{.kind = kind, .nodes = take_integer(numbers, TreeGrowth::kMostNodes, whole)};
  growth.children = std::min(growth.nodes, TreeGrowth::kDefaultChildren);
  if (numbers.empty()) return growth;
  if (numbers[0] != ':') refuse(whole);
  numbers.remove_prefix(1);
  growth.children = take_integer(numbers, growth.nodes, whole);
  if (!numbers.empty()) refuse(whole);
  return growth;
}

}  // namespace

TreeGrowth TreeGrowth::parse(const std::string& text, int speculation_length) {
  for (const auto& [prefix, kind] : {std::pair(kBestFirst, Kind::best_first), std::pair(kBeam, Kind::beam)})
    if (text.starts_with(prefix)) return parse_grown(kind, std::string_view(text).substr(prefix.size()), text);
  return {.shape = TreeShape::parse(text, speculation_length)};
}

int TreeGrowth::nodes_to_depth(int depth) const {
  if (is_grown()) {
    long long seen = 0, level = 1;
    const long long followed = kind == Kind::beam ? children : nodes;
    for (int d = 0; d < depth && seen < nodes; ++d) seen += level = std::min<long long>(std::min(level, followed) * children, nodes);
    return static_cast<int>(std::min<long long>(seen, nodes));
  }
  std::vector<int> depth_of{0};
  for (const int parent : shape.parents()) depth_of.push_back(depth_of[static_cast<std::size_t>(parent)] + 1);
  return static_cast<int>(std::ranges::count_if(depth_of, [&](int of_node) { return of_node > 0 && of_node <= depth; }));
}

}  // namespace speclab
