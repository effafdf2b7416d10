#include "analysis/tables/cells.h"

#include "analysis/tables/fields.h"
#include "analysis/tables/intervals.h"

namespace speclab::analysis {
namespace {

using C = CellRow;

std::vector<Column<C>> predicted_columns() {
  const auto of = part_of(&C::prediction);
  return {{"predicted_walltime_ns", of(&Prediction::walltime_ns), Number{.unit = "ns"},
           "as in `predictions.csv`"},
          {"predicted_speedup", of(&Prediction::speedup), Number{}, ""},
          {"predicted_tokens_per_round", of(&Prediction::tokens_per_round), Number{}, ""},
          {"predicted_acceptance_rate", of(&Prediction::acceptance_rate), Number{}, ""},
          {"paced_walltime_ns", of(&Prediction::paced_walltime_ns), Number{.unit = "ns"}, ""}};
}

std::vector<Column<C>> measured_columns() {
  const auto estimate = [](const std::string& name, auto member, std::string_view meaning) {
    return shown_estimate_columns<C>(name, member, "–", meaning);
  };
  return joined<C>(
      {{{"n_prompts", &C::n_prompts, Count{}, "clusters and generations behind the numbers"},
        {"n_rows", &C::n_rows, Count{}, ""}},
       shown_estimate_columns<C>("walltime_ns", &C::walltime_ns, "ns",
                                 "mean walltime of a generation"),
       estimate("speedup", &C::speedup,
                "plain walltime / walltime over the pairs of the cell; the plain rows have the "
                "same model, sampling settings, prompt and repetition (of several that were "
                "measured among a repetition the mean)"),
       estimate("decoding_speedup", &C::decoding_speedup,
                "the same of decoding alone, without the prompts' reading"),
       estimate("pair_speedup", &C::pair_speedup,
                "median of plain / own walltime over the pairs, one by one: a stall of the machine "
                "in one generation does not move it. Its ends are order statistics, which take "
                "the pairs as independent: they speak of these prompts, and are empty below 6 "
                "pairs"),
       estimate("tokens_per_round", &C::tokens_per_round, "output tokens / rounds"),
       estimate("acceptance_rate", &C::acceptance_rate,
                "accepted / tested; empty if nothing was drafted"),
       {{"accepted_fraction", &C::accepted_fraction, Number{}, "accepted / drafted (no interval)"},
        {"drafting_fraction", &C::drafting_fraction, Number{},
         "drafting rounds / rounds (no interval)"},
        {"draft_ns", &C::draft_ns, Number{.unit = "ns"}, "means per round (no interval)"},
        {"target_ns", &C::target_ns, Number{.unit = "ns"}, ""},
        {"verify_ns", &C::verify_ns, Number{.unit = "ns"}, ""},
        {"other_ns", &C::other_ns, Number{.unit = "ns"}, ""},
        {"lossless", &C::lossless, Flag{}, "as in `rows.csv`; a cell never mixes them"},
        {"law_distance", &C::law_distance, Number{.unit = "0 to 1"},
         "as in `rows.csv`, mean over the tokens (no interval)"},
        {"forced_acceptance", &C::forced_acceptance, Flag{}, "as in `rows.csv`"}}});
}

}  // namespace

const Schema<CellRow>& cells_table() {
  static const Schema<C> table{
      "cells.csv",
      "a cell (none if only costs were measured): prediction beside measurement, with 95 % "
      "intervals",
      joined<C>({cell_columns<C>(&C::cell_id, &C::category, &C::axes), predicted_columns(),
                 measured_columns()})};
  return table;
}

}  // namespace speclab::analysis
