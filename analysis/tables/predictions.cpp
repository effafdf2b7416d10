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

}  // namespace speclab::analysis
