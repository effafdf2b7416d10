#pragma once
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "analysis/tables/drafts.h"
#include "experiments/drivers/measure/workbench.h"

namespace speclab::experiments {

/// Rounds of a shown text whose drafts are kept.
inline constexpr std::size_t kShownRounds = 8;

/// A measured generation as it is decoded once more, by a decoder of its own, so that looking at
/// its drafts costs the measurement nothing.
/// @param most_rounds  after which it may end early
GenerationRecord decode_again(
    const LoadedPlan& loaded, const DecoderSettings& settings, const engines::Request& request,
    const SpeculationLengthPolicy& policy,
    const std::function<void(const Draft&, const TargetLaws<float>&)>& on_draft,
    std::size_t most_rounds = std::numeric_limits<std::size_t>::max());

/// Whether `again` began with the same drafts, verdicts and tokens, as far as it went.
bool is_same(const GenerationRecord& measured, const GenerationRecord& again);

/// The first drafts of a measured generation; none where decoding again gave others, as kernels
/// that depend on what is beside a row may.
std::vector<analysis::DraftedRound> shown_drafts(const LoadedPlan& loaded,
                                                 const DecoderSettings& settings,
                                                 const engines::Request& request,
                                                 const SpeculationLengthPolicy& policy,
                                                 const GenerationRecord& measured);

}  // namespace speclab::experiments
