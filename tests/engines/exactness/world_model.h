#pragma once
// A small world as a language model with a cache: what a forward answers is the law after what the
// cache and the rows hold.

#include "engines/interface/language_model.h"
#include "tests/support/small_world.h"

namespace speclab::engines::testing {

enum class Side { target, draft };

/// Logits are logarithms of the world's laws, those of the target's side or the draft's. A token
/// that stands at a position other than its place in the sequence counts as another token, so that
/// wrong positions, stale entries and wrong parents change the law instead of being refused.
std::unique_ptr<LanguageModel> make_world_model(const speclab::testing::SmallWorld& world,
                                                Side side);

}  // namespace speclab::engines::testing
