#pragma once
// What a round does between the passes: choose drafted tokens, verify them, move the sequence on.

#include "engines/cuda/kernels.h"
#include "engines/cuda/round_state.h"

namespace speclab::engines::cuda {

/// The first rows of the drafter: the previous token once more, whose key and value it lacks after
/// a draft that was wholly accepted, and the pending one.
/// @param forced  pinned; becomes RoundState's
void launch_begin_round(RoundState* round, ForwardState* draft, const std::int32_t* forced,
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

}  // namespace speclab::engines::cuda
