#pragma once
#include <string>
#include <vector>

#include "analysis/tables/run_folder.h"
#include "analysis/tables/text_samples.h"

namespace speclab::analysis {

/// The text samples with the fate of every token shown by colour and by underline; empty if the run
/// has none.
std::string text_section_html(const Run& run);

/// The first drafts of one prompt, as trees: what drafter and target thought of each token, and
/// which were kept. Empty where nothing is known.
std::string draft_section_html(const Run& run, const std::vector<DraftSample>& drafts);

}  // namespace speclab::analysis
