#pragma once
// What a round does between the passes: choose drafted tokens, verify them, move the sequence on.

#include "engines/cuda/kernels.h"
#include "engines/cuda/round_state.h"

namespace speclab::engines::cuda {

/// The first rows of the drafter: the previous token once more, whose key and value it lacks after
/// a draft that was wholly accepted, and the pending one.
/// @param host  pinned; what is copied becomes RoundState's; null where nothing ever is
void launch_begin_round(RoundState* round, ForwardState* draft, const HostDraft* host,
                        const LaunchContext& context);
/// The first rows of a drafter that reads the target's states: the tokens behind the path that the
/// round before has left, each beside the state of the node before it, as the target's pass had it.
/// @param host  as above
void launch_begin_feature_round(RoundState* round, ForwardState* draft, const HostDraft* host,
                                const LaunchContext& context);
/// Draws or takes token `index` of the draft from what the drafter's pass left; prepares its next
/// pass.
/// @param laws  of the draft, one a token; unused at temperature 0
void launch_choose_draft(RoundState* round, ForwardState* draft, int index,
                         const PassOutput& output, const DeviceLaws& laws,
                         const LaunchContext& context);
/// The pending token and `length` drafted ones as rows of the target.
void launch_begin_verification(RoundState* round, ForwardState* target, int length,
                               const LaunchContext& context);
/// Arg max and, above temperature 0, exponentials of each of the target's rows. @param rows  upper
/// bound of the round's
void launch_target_laws(RoundState* round, int rows, const PassOutput& output,
                        const DeviceLaws& laws, const LaunchContext& context);
/// Accepts, draws the next token, moves the sequence on and tells the host.
void launch_verify(RoundState* round, int length, const DeviceLaws& draft, const DeviceLaws& target,
                   RoundResult* result, const LaunchContext& context);

// Kernels of trees. Each is launched for a shape, and finds out on the device which of its nodes
// there are.

/// A level whose nodes get children. @param nodes  upper bound of those on it
struct TreeLevel {
  const DeviceShape& shape;
  int level, nodes;
};

/// From what the drafter's pass left of each of the level's nodes: its law, the law at temperature
/// 1 where that is 0, mixed with the copied token where its path is the copy, and how many children
/// it gets.
/// @param laws  of the draft, one a node
void launch_level_laws(RoundState* round, const TreeLevel& level, const PassOutput& output,
                       const DeviceLaws& laws, const LaunchContext& context);
/// Draws the children without replacement, or takes the arg max and then the most likely others;
/// prepares the drafter's next pass.
void launch_add_children(RoundState* round, ForwardState* draft, const TreeLevel& level,
                         const DeviceLaws& laws, const LaunchContext& context);
/// As a number of levels: all that there are.
inline constexpr int kWholeTree = kMaxRows - 1;
/// All nodes down to level `levels` as rows of the target.
void launch_begin_tree_verification(RoundState* round, ForwardState* target, int levels,
                                    const LaunchContext& context);

/// Takes a draft of the host in place of all kernels that draft: its tokens, its tree and, above
/// temperature 0, its laws. launch_begin_tree_verification of kWholeTree comes next.
/// @param draft  pinned @param laws  of the draft, one a node; null where nothing reads them
/// @param rows  upper bound of the draft's
void launch_take_draft(RoundState* round, const HostDraft* draft, const DeviceLaws& laws, int rows,
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
