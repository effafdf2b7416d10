#include "analysis/tables/predicted_lengths.h"

#include "analysis/tables/fields.h"
#include "analysis/tables/intervals.h"

namespace speclab::analysis {

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

}  // namespace speclab::analysis
