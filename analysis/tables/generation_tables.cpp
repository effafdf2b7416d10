#include "analysis/tables/generation_tables.h"

#include "analysis/tables/axes.h"
#include "analysis/tables/fields.h"

namespace speclab::analysis {
namespace {

/// Tokens of a generation, its rounds and the drafts in them, counted.
std::vector<Column<Generation>> count_columns() {
  using G = Generation;
  return {
      {"prompt_tokens", &G::prompt_tokens, Count{.least = 1},
       "tokens of the prompt, chat template included"},
      {"output_tokens", &G::output_tokens, Count{.least = 1}, "tokens emitted"},
      {"rounds", &G::rounds, Count{.least = 1}, "rounds; for plain decoding the target's steps"},
      {"drafting_rounds", &G::drafting_rounds, Count{}, "rounds that drafted at least one token"},
      {"drafted", &G::drafted, Count{}, "drafted tokens (nodes of a tree)"},
      {"accepted", &G::accepted, Count{}, "accepted drafts, as verified, before a stop rule cuts"},
      {"tested", &G::tested, Count{},
       "drafts looked at: accepted, and those whose rejection ended or changed a path"},
      {"recovered", &G::recovered, Count{},
       "rounds ended by a recovered token, by a bonus token (a round that drafts nothing "
       "ends with a bonus)"},
      {"bonus", &G::bonus, Count{}, ""}};
}

}  // namespace

const Schema<Generation>& rows_table() {
  using G = Generation;
  static const Schema<G> table{
      "rows.csv", "a generation",
      joined<G>(
          {{{"row_id", &G::row_id, Count{},
             "number of the generation in this run; the key of the other files"},
            {"cell_id", &G::cell_id, Text{}, "as in the axes"},
            {"repetition", &G::repetition, Count{},
             "0 for the first. A plain and a speculative row of equal prompt and repetition are a "
             "pair. If `experiment.plain_repetitions` is more than `experiment.repetitions` (R), "
             "plain repetitions r, r + R, r + 2R, ... are measured among speculative repetition "
             "r, and their mean is its partner. If one of the two keys was edited later, plain "
             "rows may be of an earlier section: the report counts such pairs"},
            {"prompt_id", &G::prompt_id, Text{}, "as in `experiments/prompts`"},
            {"category", &G::category, Text{}, "as in the axes, like those from `model` on"}},
           axes_columns<G>(&G::axes),
           {{"seed", &G::seed, Text{.unit = "integer"}, "key of the random streams"},
            {"sequence_id", &G::sequence_id, Count{},
             "sequence number within the streams, from the id of the prompt and the repetition. "
             "Revisions before sections took the place of the prompt in the list: their configs, "
             "repeated above temperature 0, give other text of the same law"}},
           count_columns(),
           {{"stop_reason", &G::stop_reason,
             Text{{"length", "end_of_sequence", "stop_string", "time"}},
             "`length`, `end_of_sequence`, `stop_string`, `time`"},
            {"output_hash", &G::output_hash, Text{}, "16 hexadecimal digits over the output ids"},
            {"lossless", &G::lossless, Flag{},
             "1 if the verifier leaves the target's output law unchanged"},
            {"law_distance", &G::law_distance, Number{.high = 1, .unit = "0 to 1"},
             "of a lossy verifier: the total variation between the law that a token was drawn from "
             "and the law of the target behind the same text, mean over the emitted tokens. It is "
             "a closed form of the laws of the row (the request is decoded again, untimed). Empty "
             "for lossless rows"},
            {"forced_acceptance", &G::forced_acceptance, Flag{},
             "1 if acceptance was replayed or dialled: the time is real, the text is not"}}})};
  return table;
}

const Schema<Generation>& times_table() {
  using G = Generation;
  constexpr Count kNs{.unit = "ns"};
  constexpr MaybeCount kBytes{.most = 1'000'000'000'000'000'000, .unit = "bytes"};
  static const Schema<G> table{
      "times.csv",
      "a generation, measured",
      {{"row_id", &G::row_id, Count{}, "as in `rows.csv`"},
       {"prefill_ns", &G::prefill_ns, kNs,
        "until the prompt is committed; a drafter reads it in its first draft"},
       {"time_to_first_token_ns", &G::time_to_first_token_ns, kNs, "from the start of the prefill"},
       {"decode_ns", &G::decode_ns, Count{.least = 1, .unit = "ns"}, "all rounds"},
       {"draft_ns", &G::draft_ns, kNs,
        "their split: drafting; the target's forwards; processors, acceptance and commit; the "
        "rest"},
       {"target_ns", &G::target_ns, kNs, ""},
       {"verify_ns", &G::verify_ns, kNs, ""},
       {"other_ns", &G::other_ns, kNs, ""},
       {"peak_memory_bytes", &G::peak_memory_bytes, kBytes,
        "peak of the process or device so far, decoders of other cells and of lossy rows' second "
        "decoding included; empty if unknown"},
       {"target_bytes", &G::target_bytes, kBytes,
        "that the forwards of the rounds read: weights, and cached keys and values. They are "
        "counted, not measured; `draft_bytes` is 0 if the drafter reads no model",
        kReadGroup},
       {"draft_bytes", &G::draft_bytes, kBytes, "", kReadGroup},
       {"energy_j", &G::energy_j, Number{.high = 1e15, .unit = "J"},
        "energy of the rounds, read from counters before the first and after the last one; empty "
        "if nothing tells it",
        kReadGroup},
       {"energy_source", &G::energy_source, MaybeText{},
        "`cpu packages` (RAPL), `gpu` (NVML, the board) or `cpu packages + gpu`; empty beside an "
        "empty energy",
        kReadGroup},
       {"section", &G::section, Count{.least = 1},
        "that measured the row (only where there are several, see "
        "[above](#when-the-config-is-edited))",
        kSectionGroup}}};
  return table;
}

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
