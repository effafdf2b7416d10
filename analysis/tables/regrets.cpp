#include "analysis/tables/regrets.h"

#include "analysis/tables/fields.h"
#include "analysis/tables/intervals.h"

namespace speclab::analysis {

const Schema<RegretRow>& regrets_table() {
  using R = RegretRow;
  const auto of = part_of(&R::axes);
  static const Schema<R> table{
      "regret.csv",
      "a policy of a drafter and temperature: its timed and its priced loss against the best "
      "static "
      "length, and the priced one against the clairvoyant bound (needs two policies, one of them "
      "`constant:N`, and costs)",
      joined<R>(
          {{{"model", of(&Setting::model), Text{}, "whose policies are compared"},
            {"drafter", of(&Setting::drafter), Text{}, ""},
            {"tree", of(&Setting::tree), Text{}, ""},
            {"verifier", of(&Setting::verifier), Text{}, ""},
            {"temperature", of(&Setting::temperature), Number{}, ""},
            {"policy", of(&Setting::policy), Text{},
             "`none` is plain decoding, the static length 0"},
            {"n_prompts", &R::n_prompts, Count{}, ""},
            {"ns_per_token", &R::ns_per_token, Number{.unit = "ns"},
             "of decoding, on the cost surface"},
            {"best_static", &R::best_static, Text{},
             "the constant length, or `none`, that was the fastest on the cost surface over these "
             "very prompts"},
            {"longest_static", &R::longest_static, Text{},
             "the bound: every round of this constant length drafts what that round kept, or "
             "nothing where plain steps are cheaper; for policies that draft no longer, above "
             "temperature 0 in the mean only"},
            {"clairvoyant_ns_per_token", &R::clairvoyant_ns_per_token, Number{.unit = "ns"}, ""}},
           estimate_columns<R>("regret_to_static", &R::to_static, {},
                               "priced: the rounds that were made, on the cost surface. No time of "
                               "these rounds was measured"),
           estimate_columns<R>("regret_to_clairvoyant", &R::to_clairvoyant, {}, ""),
           estimate_columns<R>("measured_regret_to_static", &R::measured_to_static, {},
                               "timed: measured walltime over that of `best_static`, less 1. "
                               "Conclusions about speed rest on this one")})};
  return table;
}

}  // namespace speclab::analysis
