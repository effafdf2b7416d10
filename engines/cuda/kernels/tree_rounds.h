#pragma once
// What a round of a tree does between the passes, beside what it shares with a chain's (rounds.h):
// every kernel is launched for a shape, and finds out on the device which of its nodes there are.

#include "engines/cuda/kernels.h"
#include "engines/cuda/round_state.h"

namespace speclab::engines::cuda {

/// A level whose nodes get children. @param nodes  upper bound of those on it
struct TreeLevel {
  const DeviceShape& shape;
  int level, nodes;
};

/// From what the drafter's pass left of each of the level's nodes: its law, the law at temperature
/// 1 where that is 0, and how many children it gets.
/// @param laws  of the draft, one a node
void launch_level_laws(RoundState* round, const TreeLevel& level, const PassOutput& output,
                       const DeviceLaws& laws, const LaunchContext& context);
/// Draws the children without replacement, or takes the arg max and then the most likely others;
/// prepares the drafter's next pass.
void launch_add_children(RoundState* round, ForwardState* draft, const TreeLevel& level,
                         const DeviceLaws& laws, const LaunchContext& context);
/// All nodes down to level `levels` as rows of the target.
void launch_begin_tree_verification(RoundState* round, ForwardState* target, int levels,
                                    const LaunchContext& context);

/// The laws of a tree's nodes, and room for what is left of one.
struct TreeLaws {
  DeviceLaws draft, target;
  float* remainder;  ///< [vocab]
};
/// Finds the path that stands, draws the next token and moves the sequence on, but for its keys and
/// values, which round->moves is left for.
void launch_verify_tree(RoundState* round, const TreeLaws& laws, const LaunchContext& context);
void launch_tell_host(const RoundState* round, RoundResult* result, const LaunchContext& context);

}  // namespace speclab::engines::cuda
