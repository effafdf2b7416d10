#include "analysis/tables/predictions.h"

#include "analysis/tables/fields.h"
#include "analysis/tables/intervals.h"

namespace speclab::analysis {
namespace {

std::vector<Column<PredictionRow>> speedup_interval_columns(const Number& number) {
  auto columns = interval_columns<PredictionRow>(
      "predicted_speedup", [](auto& row) -> auto& { return row.prediction.speedup_interval; },
      number,
      "95 % prediction interval of the measured speed-up, by Student's t on the logarithm (degrees "
      "of freedom after Satterthwaite). It adds the spread among pilots (delete-one jackknife in "
      "every category), once for their own mean and once for the measured prompts; the spread of "
      "the costs over the passes of their measurement; and for the time of measuring the "
      "difference of one pass, over the number of generations of the cell and of plain decoding. "
      "Rows before 2026-11-26 take the spread over passes twice, those before 2026-11-24 take "
      "costs as known. Empty for plain decoding, if a category has one pilot, and beyond a factor "
      "of 20");
  for (auto& column : columns) column.group = kIntervalGroup;
  return columns;
}

}  // namespace

const Schema<PredictionRow>& predictions_table() {
  using P = PredictionRow;
  const auto of = part_of(&P::prediction);
  constexpr Number kPositive{.low = 1e-9, .high = 1e18},
      kNs{.low = 1e-9, .high = 1e18, .unit = "ns"};
  static const Schema<P> table{
      "predictions.csv",
      "a cell, before it was measured; `paced_walltime_ns` is at the pace of the measuring",
      joined<P>(
          {cell_columns<P>(&P::cell_id, &P::category, &P::axes),
           {{"predicted_walltime_ns", of(&Prediction::walltime_ns), kNs,
             "mean walltime of a generation of the cell"},
            {"predicted_speedup", of(&Prediction::speedup), kPositive,
             "predicted plain walltime / `predicted_walltime_ns`"},
            {"predicted_tokens_per_round", of(&Prediction::tokens_per_round), kPositive,
             "accepted length + 1"},
            {"predicted_acceptance_rate", of(&Prediction::acceptance_rate), Number{.high = 1},
             "accepted / tested"},
            {"paced_walltime_ns", of(&Prediction::paced_walltime_ns), kNs,
             "`predicted_walltime_ns` again, with the mean forwards of `pace.csv` in the place of "
             "those in `costs.csv` (prompts in proportion to the forward of most rows); empty "
             "where no pace was taken"}},
           speedup_interval_columns(kPositive)})};
  return table;
}

const Schema<PredictedLengthRow>& predicted_lengths_table() {
  using P = PredictedLengthRow;
  const auto estimate = [](const std::string& name, auto member, std::string_view unit,
                           std::string_view meaning) {
    return shown_estimate_columns<P>(name, member, unit, meaning);
  };
  static const Schema<P> table{
      "predict --csv", "a speculation length, from 0 (plain decoding)",
      joined<P>(
          {{{"speculation_length", &P::speculation_length, Count{.unit = "tokens"},
             "drafted a round"}},
           estimate("tokens_per_round", &P::tokens_per_round, "tokens",
                    "accepted + 1, from one acceptance rate"),
           estimate("predicted_speedup", &P::predicted_speedup, "–",
                    "E / (c γ + v + o); by measured costs plain decoding's time of E tokens over "
                    "the round's; 1 at length 0"),
           {{"accepted_fraction", &P::accepted_fraction, Number{},
             "accepted / drafted; empty at length 0"},
            {"operations_factor", &P::operations_factor, Number{},
             "operations over those of plain decoding"},
            {"target_reads_per_token", &P::target_reads_per_token, Number{},
             "reads of the target's weights a token"},
            {"bytes_per_token", &P::bytes_per_token, Number{.unit = "bytes"},
             "with `--target-bytes` and `--draft-bytes`"}},
           estimate("trace_tokens_per_round", &P::trace_tokens_per_round, "tokens",
                    "from acceptance by position of a trace, as far as 30 rounds of two prompts "
                    "tested it; with intervals over prompts"),
           estimate("trace_predicted_speedup", &P::trace_predicted_speedup, "–", ""),
           {{"is_optimum", &P::is_optimum, Flag{},
             "the best length by one rate, by position, and that of `--speculation-length`"},
            {"is_trace_optimum", &P::is_trace_optimum, Flag{}, ""},
            {"is_chosen", &P::is_chosen, Flag{}, ""}}})};
  return table;
}

const Schema<ComposedSpeedupRow>& composed_speedups_table() {
  using C = ComposedSpeedupRow;
  static const Schema<C> table{
      "predict --machine --csv", "a drafter and a temperature",
      joined<C>(
          {{{"drafter", &C::drafter, Text{}, "as the costs name it"},
            {"temperature", &C::temperature, Number{}, "of its counts"}},
           shown_estimate_columns<C>(
               "composed_speedup", &C::composed_speedup, "–",
               "plain walltime over that of drafting, prompt included, of simulated texts; "
               "with the interval over groups of texts"),
           {{"tokens_per_round", &C::tokens_per_round, Number{.unit = "tokens"}, "accepted + 1"},
            {"drafting_fraction", &C::drafting_fraction, Number{.high = 1},
             "share of rounds that draft"}}})};
  return table;
}

}  // namespace speclab::analysis
