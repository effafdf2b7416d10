#include "analysis/tables/modes.h"

#include <map>
#include <set>

#include "analysis/tables/fields.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// @throws DataError for counts that no decoding has
void check_counts(const Table& table, std::size_t place, const ModeRow& row) {
  if (row.accepted > row.drafted) table.fail(place, "accepted", "more steps than were drafted");
  if (row.rows < row.steps) table.fail(place, "rows", "fewer rows than forwards");
  if (row.tokens > row.steps + row.accepted + 1)
    table.fail(place, "tokens", "more tokens than forwards and accepted drafts make");
}

/// All rows are of one measurement, and a case has each prompt once, with the same keys.
void check_consistent(const Table& table, const std::vector<ModeRow>& rows) {
  std::set<std::pair<std::string, std::string>> seen;
  std::map<std::string, const ModeRow*> cases;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ModeRow &row = rows[i], &first = rows.front();
    if (row.model != first.model) table.fail(i, "model", "another model than in the first row");
    if (row.machine != first.machine)
      table.fail(i, "machine", "another machine than in the first row");
    if (row.revision != first.revision)
      table.fail(i, "revision", "another revision than in the first row");
    if (!seen.emplace(row.name, row.prompt).second)
      table.fail(i, "prompt", "a prompt that its case has already");
    const ModeRow& of_case = *cases.emplace(row.name, &row).first->second;
    if (row.keys != of_case.keys) table.fail(i, "keys", "other keys than in its case before");
    if (row.mode != of_case.mode) table.fail(i, "mode", "another mode than in its case before");
  }
}

}  // namespace

const Schema<ModeRow>& modes_table() {
  using M = ModeRow;
  constexpr Number kSeconds{.low = kAboveZero, .high = 1e9, .unit = "s"};
  static const Schema<M> table{
      "modes.csv",
      "a way of decoding and a prompt",
      {{"model", &M::model, Text{},
        "the model; the name of the way; its values of GenerationConfig; the mode as `generate` "
        "names it"},
       {"case", &M::name, Text{}, ""},
       {"keys", &M::keys, MaybeText{}, ""},
       {"mode", &M::mode, Text{}, ""},
       {"prompt", &M::prompt, Text{}, "its id, or its text where it has none"},
       {"tokens", &M::tokens, Count{.least = 1},
        "of the best text; forwards behind the prompt; their rows together"},
       {"steps", &M::steps, Count{.least = 1}, ""},
       {"rows", &M::rows, Count{.least = 1}, ""},
       {"drafted", &M::drafted, Count{},
        "drafted tokens and those accepted; of beams, drafted steps and those accepted"},
       {"accepted", &M::accepted, Count{}, ""},
       {"seconds", &M::seconds, kSeconds,
        "behind the prompt; from forwards timed before and the steps of pilots"},
       {"predicted_seconds", &M::predicted_seconds, kSeconds, ""},
       {"output_hash", &M::output_hash, Text{},
        "digest of all texts, best first; the best text, escaped and cut"},
       {"text", &M::text, MaybeText{}, ""},
       {"machine", &M::machine, Text{}, "processor; revision of the program"},
       {"revision", &M::revision, Text{}, ""}}};
  return table;
}

std::vector<ModeRow> read_modes(const std::string& path) {
  const Table table = Table::read(path);
  const std::vector<ModeRow> rows = modes_table().read(table, {}, check_counts);
  if (rows.empty()) throw DataError(path + ": no rows");
  check_consistent(table, rows);
  return rows;
}

}  // namespace speclab::analysis
