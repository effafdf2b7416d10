#include "sim/core/tree_growth.h"

#include <charconv>
#include <string_view>

#include "sim/system/errors.h"

namespace speclab {
namespace {

constexpr std::string_view kBestFirst = "best_first:", kBeam = "beam:", kSuffixes = "suffixes:";

std::string allowed_instead_of(const std::string& text) {
  if (text.starts_with(kSuffixes))
    return "suffixes:COUNT:CHILDREN, CHILDREN a level as in 5x3x2, 512 nodes in all at most, COUNT "
           "from 1 to what CHILDREN multiply to";
  if (text.starts_with(kBeam))
    return "beam:NODES or with :CHILDREN behind it, NODES from 1 to 512, CHILDREN from 1 to NODES";
  return "best_first:NODES or with :CHILDREN behind it, NODES from 1 to 512 or adaptive (as many "
         "as the policy says, 64 at most), CHILDREN from 1 to NODES, or as many a level as in "
         "5x3x2";
}

/// What is left to be read of a grown tree's name.
class GrowthReader {
 public:
  GrowthReader(const std::string& whole, std::string_view prefix)
      : whole_(whole), left_(std::string_view(whole).substr(prefix.size())) {}

  bool is_at_end() const { return left_.empty(); }
  void expect_end() const { refuse_unless(left_.empty()); }

  bool take(std::string_view word) {
    const bool is_there = left_.starts_with(word);
    if (is_there) left_.remove_prefix(word.size());
    return is_there;
  }

  int take_integer(int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    refuse_unless(error == std::errc() && value >= 1 && value <= most);
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return value;
  }

  /// Parted by "x".
  std::vector<int> take_integers(int most) {
    std::vector<int> values{take_integer(most)};
    while (take("x")) values.push_back(take_integer(most));
    return values;
  }

  void refuse_unless(bool is_allowed) const {
    if (!is_allowed)
      throw ConfigError("tree = \"" + escaped(whole_) +
                        "\"; allowed: " + allowed_instead_of(whole_));
  }

 private:
  const std::string& whole_;
  std::string_view left_;
};

TreeGrowth parse_budgeted(TreeGrowth::Kind kind, GrowthReader reader) {
  TreeGrowth growth{.kind = kind};
  growth.is_adaptive = kind == TreeGrowth::Kind::best_first && reader.take("adaptive");
  growth.nodes = growth.is_adaptive ? TreeGrowth::kMostAdaptiveNodes
                                    : reader.take_integer(TreeGrowth::kMostNodes);
  growth.children = {std::min(growth.nodes, TreeGrowth::kDefaultChildren)};
  if (reader.is_at_end()) return growth;
  reader.refuse_unless(reader.take(":"));
  growth.children = reader.take_integers(growth.nodes);
  reader.refuse_unless(kind == TreeGrowth::Kind::best_first || growth.children.size() == 1);
  reader.expect_end();
  return growth;
}

TreeGrowth parse_suffixes(GrowthReader reader) {
  TreeGrowth growth{.kind = TreeGrowth::Kind::suffixes,
                    .suffixes = reader.take_integer(TreeGrowth::kMostNodes)};
  reader.refuse_unless(reader.take(":"));
  growth.children = reader.take_integers(TreeGrowth::kMostNodes);
  reader.expect_end();
  int level = 1;
  for (const int children : growth.children) {
    level *= children;
    growth.nodes_before_choice += level;
    growth.nodes += std::min(level, growth.suffixes);
    reader.refuse_unless(growth.nodes_before_choice <= TreeGrowth::kMostNodes);
  }
  reader.refuse_unless(growth.suffixes <= level);
  return growth;
}

}  // namespace

TreeGrowth TreeGrowth::parse(const std::string& text, int speculation_length) {
  if (text.starts_with(kBestFirst)) return parse_budgeted(Kind::best_first, {text, kBestFirst});
  if (text.starts_with(kBeam)) return parse_budgeted(Kind::beam, {text, kBeam});
  if (text.starts_with(kSuffixes)) return parse_suffixes({text, kSuffixes});
  return {.shape = TreeShape::parse(text, speculation_length)};
}

int TreeGrowth::max_depth() const {
  if (kind == Kind::suffixes) return static_cast<int>(children.size());
  return is_grown() ? nodes : shape.depth();
}

int TreeGrowth::nodes_to_depth(int depth) const {
  if (is_grown()) {
    const int most_of_level = kind == Kind::suffixes ? suffixes : nodes;
    int seen = 0, level = 1;
    for (int parents = 0; parents < std::min(depth, max_depth()) && seen < nodes; ++parents) {
      const int followed = kind == Kind::beam ? std::min(level, children_at(parents)) : level;
      seen += level = std::min(followed * children_at(parents), most_of_level);
    }
    return std::min(seen, nodes);
  }
  std::vector<int> depth_of{0};
  for (const int parent : shape.parents())
    depth_of.push_back(depth_of[static_cast<std::size_t>(parent)] + 1);
  return static_cast<int>(std::ranges::count_if(
      depth_of, [&](int of_node) { return of_node > 0 && of_node <= depth; }));
}

}  // namespace speclab
