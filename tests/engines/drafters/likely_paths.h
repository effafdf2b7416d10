#pragma once
// Trees of the likeliest tokens, slowly: every node by what the drafter's model says of its path
// alone.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sim/core/token.h"

namespace speclab::engines::testing {

using TokenPath = std::vector<Token>;

struct Likely {
  double log_probability;
  TokenPath path;
};

/// The `count` likeliest tokens after a text and a path, by what the drafter's model says of that
/// text alone.
using Children = std::function<std::vector<Likely>(const Likely&, int count)>;

/// The children of `parent` that are likeliest by `probabilities`, at most `count`.
std::vector<Likely> likeliest(const std::vector<double>& probabilities, const Likely& parent,
                              int count);

/// Paths of the nodes that `tree` has, read at most `levels` deep.
/// @param tree  as TreeGrowth::parse takes it, not a shape
std::set<TokenPath> likely_paths(const Children& children, const std::string& tree, int levels);

}  // namespace speclab::engines::testing
