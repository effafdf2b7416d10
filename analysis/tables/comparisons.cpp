#include "analysis/tables/comparisons.h"

#include "analysis/tables/fields.h"
#include "analysis/tables/intervals.h"

namespace speclab::analysis {

const Schema<ComparisonRow>& comparisons_table() {
  using C = ComparisonRow;
  static const Schema<C> table{
      "comparison.csv", "a number of ours beside a reference",
      joined<C>(
          {{{"experiment", &C::experiment, Text{}, "name of the table or figure"},
            {"setting", &C::setting, MaybeText{}, "key=value;..."},
            {"quantity", &C::quantity, Text{}, "what is compared"},
            {"ours", &C::ours, Number{}, "our number"}},
           interval_columns<C>("ours", &C::interval, {},
                               "for measured tables: 95 % interval of `ours`, and prompts behind "
                               "it. For `predicted_speedup` it holds all that the intervals of the "
                               "survivals allow, each end with its best length; it does not hold "
                               "that the fastest of several sizes was picked"),
           {{"prompts", &C::prompts, MaybeCount{}, ""},
            {"reference", &C::reference, Number{}, "empty where the source has no number"},
            {"origin", &C::origin, MaybeText{},
             "of the reference: `printed` by the source, `read_off` a figure of it, or "
             "`recomputed`: its formula evaluated apart from this program, or a count of its "
             "numbers"},
            {"difference", &C::difference, Number{}, "`ours` - `reference`"},
            {"tolerance_abs", &C::tolerance, Number{},
             "how near they must be; empty where nothing must agree"},
            {"verdict", &C::verdict, Text{},
             "`agrees`; a named slip of the source: `input_rounding` where inputs that round to "
             "the printed ones explain it, else `known_slip`; `context`, measured elsewhere; "
             "`disagrees`"},
            {"source", &C::source, MaybeText{}, "as in `experiments/papers`"},
            {"locator", &C::locator, MaybeText{}, ""},
            {"note", &C::note, MaybeText{},
             "name of the slip, and what rounding of the inputs allows"}}})};
  return table;
}

const Schema<ComparisonSummaryRow>& comparison_summary_table() {
  using S = ComparisonSummaryRow;
  static const Schema<S> table{
      "summary.csv",
      "a table or figure, and the verdicts on its rows",
      {{"experiment", &S::experiment, Text{}, "name of the table or figure"},
       {"rows", &S::rows, Count{}, "of its comparison"},
       {"agrees_printed", &S::agrees_printed, Count{},
        "rows by verdict, those that agree by origin; read-off is printed"},
       {"agrees_recomputed", &S::agrees_recomputed, Count{}, ""},
       {"input_rounding", &S::input_rounding, Count{}, ""},
       {"known_slips", &S::known_slips, Count{}, ""},
       {"context", &S::context, Count{}, ""},
       {"disagrees", &S::disagrees, Count{}, ""},
       {"slips_of_text", &S::slips_of_text, Count{}, "named slips that no row shows"},
       {"revision", &S::revision, Text{}, "of the program"}}};
  return table;
}

}  // namespace speclab::analysis
