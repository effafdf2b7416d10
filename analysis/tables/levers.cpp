#include "analysis/tables/levers.h"

#include "analysis/tables/fields.h"
#include "analysis/tables/intervals.h"

namespace speclab::analysis {
namespace {

constexpr std::int64_t kMostCounted = 1'000'000;
constexpr Number kAbove0{.low = kAboveZero, .high = 1e18};

/// Columns of the model, its weights and the way of decoding.
std::vector<Column<LeverRow>> setting_columns() {
  using L = LeverRow;
  return {{"model", &L::model, Text{},
           "the model; the form of its weights; its arithmetic and kernels as `generate` names "
           "them"},
          {"lever", &L::lever, Text{}, ""},
          {"arithmetic", &L::arithmetic, Text{}, ""},
          {"kernels", &L::kernels, Text{}, ""},
          {"batch", &L::batch, Count{.least = 1, .most = kMostCounted},
           "sequences decoded together; drafted tokens a round, 0 for plain decoding"},
          {"draft_length", &L::draft_length, Count{.most = kMostCounted}, ""}};
}

}  // namespace

const Schema<LeverRow>& levers_table() {
  using L = LeverRow;
  static const Schema<L> table{
      "levers.csv", "a model, lever, batch and way of decoding",
      joined<L>(
          {setting_columns(),
           {{"units", &L::units, Count{.least = 1, .most = kMostCounted},
             "prompts, or batches, behind the interval; decoded tokens"},
            {"tokens", &L::tokens, Count{.least = 1}, ""},
            {"tokens_per_s", &L::tokens_per_s, kAbove0,
             "decoded tokens a second of the batch, without the prefill, and the 95 % interval "
             "over the units"}},
           interval_columns<L>("tokens_per_s", &L::interval, kAnyNumber),
           {{"predicted_tokens_per_s", &L::predicted_tokens_per_s, kAbove0,
             "from forwards timed before, and the rounds of pilots"},
            {"tokens_per_round", &L::tokens_per_round, kAbove0, "of one sequence"},
            {"speedup", &L::speedup, kAnyNumber,
             "seconds of plain decoding over those of assisted decoding; empty for plain "
             "decoding"}},
           interval_columns<L>("speedup", &L::speedup_interval, kAnyNumber),
           {{"batch_gain", &L::batch_gain, kAnyNumber,
             "tokens a second of the batch over those of four of its sequences, each alone; empty "
             "elsewhere"},
            {"weight_bytes", &L::weight_bytes, Count{.unit = "bytes"},
             "bytes that a forward of one row reads; those of every forward that come from the "
             "file"},
            {"streamed_bytes", &L::streamed_bytes, Count{.unit = "bytes"}, ""},
            {"source_bytes_per_s", &L::source_bytes_per_s, kAbove0,
             "read rate of memory, or of the disk of streamed weights, beside the prompts"},
            {"machine", &L::machine, Text{}, "processor; revision of the program"},
            {"revision", &L::revision, Text{}, ""}}})};
  return table;
}

const Schema<StepRow>& steps_table() {
  using S = StepRow;
  static const Schema<S> table{
      "steps.csv",
      "a forward of 1 to 16 rows of a lever; the levers take turns",
      {{"model", &S::model, Text{}, "as in `levers.csv`"},
       {"lever", &S::lever, Text{}, ""},
       {"rows", &S::rows, Count{.least = 1}, "of the forward"},
       {"repetitions", &S::repetitions, Count{.least = 1}, "behind the medians"},
       {"milliseconds", &S::milliseconds, kAbove0, "median of a forward"},
       {"over_bfloat16", &S::over_bfloat16, kAbove0,
        "medians of ratios within a repetition: to one row of bfloat16; to one row of the lever's "
        "own; to the bytes over the rate read beside it"},
       {"over_one_row", &S::over_one_row, kAbove0, ""},
       {"over_floor", &S::over_floor, kAbove0, ""}}};
  return table;
}

}  // namespace speclab::analysis
