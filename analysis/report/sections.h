#pragma once
// Sections of the page of a run of generations, as HTML.

#include <string>
#include <vector>

#include "analysis/plots/figures.h"
#include "analysis/stats/cells.h"
#include "analysis/stats/policy_regret.h"
#include "analysis/tables/run_folder.h"
#include "analysis/tables/text_samples.h"

namespace speclab::analysis {

/// A table of times as a reader meets them, until the first token and for a token of the decoding:
/// percentiles over prompts, each the mean of its generations. Where the prompts are too few for a
/// percentile, how many it needs stands in its place.
std::string percentile_section_html(const FigureData& data);

/// HTML: what choosing the drafter on pilots gave, a row a model and sampling setting. Empty if
/// nothing was predicted.
std::string choice_section_html(const FigureData& data);

/// A table of the acceptance processes fitted to the chains of the lowest temperature; empty where
/// there is none to fit.
std::string process_section_html(const FigureData& data);

/// The sortable table of all cells; settings that are the same everywhere are left out.
std::string cell_table_html(const std::vector<CellSummary>& cells);

/// The text samples with the fate of every token shown by colour and by underline; empty if the run
/// has none.
std::string text_section_html(const Run& run);

/// The first drafts of one prompt, as trees: what drafter and target thought of each token, and
/// which were kept. Empty where nothing is known.
std::string draft_section_html(const Run& run, const std::vector<DraftSample>& drafts);

/// What each policy loses against the best static length and the clairvoyant bound; empty where
/// nothing was compared.
std::string regret_section_html(const std::vector<PolicyComparison>& comparisons);

/// regret.csv, as results/TABLES.md describes it.
std::string regret_csv(const std::vector<PolicyComparison>& comparisons);

}  // namespace speclab::analysis
