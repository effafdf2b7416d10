#include "analysis/tables/failures.h"

#include "analysis/tables/fields.h"

namespace speclab::analysis {

const Schema<FailureRow>& failures_table() {
  using F = FailureRow;
  static const Schema<F> table{
      "failures.csv",
      "a generation that failed (only if there are any)",
      {{"row_id", &F::row_id, Count{}, "as in `rows.csv`, which lacks these generations"},
       {"cell_id", &F::cell_id, Text{}, ""},
       {"prompt_id", &F::prompt_id, Text{}, ""},
       {"repetition", &F::repetition, Count{}, ""},
       {"category", &F::category, Text{}, ""},
       {"status", &F::status,
        Text{{"exception", "out_of_memory", "not_finite", "timeout", "device", "crash"}},
        "`exception`, `out_of_memory`, `not_finite`, `timeout`, `device`, `crash`"},
       {"message", &F::message, Text{}, "of the error"},
       {"attempts", &F::attempts, Count{.least = 1},
        "a resumed run tries once more, `--retry-failed` however often it was tried; a generation "
        "that succeeds leaves the table"}}};
  return table;
}

}  // namespace speclab::analysis
