#pragma once
// The page of a run of generations: its answer and its sections, as HTML.

#include <optional>
#include <string>
#include <vector>

#include "analysis/plots/figures.h"
#include "analysis/stats/cells.h"
#include "analysis/stats/ledger.h"
#include "analysis/stats/policy_regret.h"
#include "analysis/tables/run_folder.h"
#include "analysis/tables/text_samples.h"

namespace speclab::analysis {

/// What the run says, in a sentence or two: the drafter that the pilots chose at the lowest and the
/// highest temperature with its speed-up (where nothing was predicted, the fastest), and how far
/// the predictions were off.
std::string answer_sentence(const FigureData& data, const PredictionErrors& errors);

/// The gain in a sentence: the speed-up at the lowest temperature with its interval, whose drafter
/// it is, and the number of prompts. Empty if no drafter was compared with plain decoding.
std::string worth_sentence(const FigureData& data);

/// "Not finished: ... " of what Manifest::missing says; empty where nothing is missing.
std::string unfinished_note(const std::string& missing);

/// The lossless speculative group of the primary model with the largest speed-up at a temperature;
/// nullptr if there is none.
const Group* best_group(const FigureData& data, double temperature);

/// What a reader must know before comparing: lossy rules, forced acceptance, pairs of unequal
/// length, greedy texts that plain decoding did not write, pairs of two sections. Empty if all is
/// plain.
std::vector<std::string> notes(const FigureData& data);

/// A group and what its prediction missed.
struct GroupLedger {
  const Group* group;
  Ledger ledger;
};

/// Of all groups that have one, in their order.
std::vector<GroupLedger> ledgers_of(const std::vector<Group>& groups, const LedgerMaker& maker);

/// The ledger that the report draws: of the drafter that the pilots chose at the lowest
/// temperature, else of the first that drafts.
const GroupLedger* shown_ledger(const FigureData& data, const std::vector<GroupLedger>& ledgers);

/// Of a run's groups, pooled over the categories and in each.
struct RunLedgers {
  std::vector<GroupLedger> pooled, by_category;
  bool cells_are_pooled = false;  ///< whether a cell holds prompts of several categories

  const std::vector<GroupLedger>& of_cells() const {
    return cells_are_pooled ? pooled : by_category;
  }
};

/// A table of the pooled ledgers and, in words, why each group came out as it did; empty where
/// there is none.
std::string ledger_section_html(const FigureData& data, const RunLedgers& ledgers);

/// The text of ledger.csv: the pooled groups, then those of each category.
std::string ledger_csv(const RunLedgers& ledgers);

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

/// Everything that the report shows.
struct PageContent {
  const FigureData& data;
  const std::vector<CellSummary>& cells;
  const std::vector<Figure>& figures;
  const RunLedgers& ledgers;
  const std::vector<PolicyComparison>& policies;
  std::vector<DraftSample> drafts;  ///< of the prompt whose drafts are shown
  std::string answer;
  PredictionErrors prediction_errors;
};

/// The whole page as one HTML text. @param plotly_js  source text of plotly.js
std::string page_html(const PageContent& content, const std::string& plotly_js);

}  // namespace speclab::analysis
