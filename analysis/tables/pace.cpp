#include "analysis/tables/pace.h"

#include "analysis/tables/fields.h"

namespace speclab::analysis {

const Schema<PaceRow>& pace_table() {
  static const Schema<PaceRow> table{
      "pace.csv",
      "a bare forward between two generations, measured",
      {{"row_id", &PaceRow::row_id, Count{}, "the generation that follows"},
       {"model", &PaceRow::model, Text{}, "as in `costs.csv`"},
       {"rows", &PaceRow::rows, Count{.least = 1}, ""},
       {"context", &PaceRow::context, Count{}, ""},
       {"ns", &PaceRow::ns, Number{.low = 1, .high = 1e15, .unit = "ns"}, "time of the forward"}}};
  return table;
}

}  // namespace speclab::analysis
