#pragma once
#include <string>
#include <vector>

#include "analysis/tables/drafts.h"

namespace speclab::analysis {

/// The first drafts of one prompt, as trees: what drafter and target thought of each token, and
/// which were kept. Empty where nothing is known.
std::string draft_section_html(const Run& run, const std::vector<DraftSample>& drafts);

}  // namespace speclab::analysis
