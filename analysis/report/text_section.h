#pragma once
#include <string>

#include "analysis/tables/run_folder.h"

namespace speclab::analysis {

/// The text samples with the fate of every token shown by colour and by underline; empty if the run
/// has none.
std::string text_section_html(const Run& run);

}  // namespace speclab::analysis
