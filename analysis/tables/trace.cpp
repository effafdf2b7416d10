#include "analysis/tables/trace.h"

#include <fmt/format.h>

#include <filesystem>
#include <unordered_map>

#include "analysis/tables/fields.h"
#include "analysis/tables/generation_tables.h"
#include "analysis/tables/rounds.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// A row of rows.csv, as far as a trace needs it.
struct Origin {
  std::int64_t row_id = 0;
  std::string prompt;
  Setting axes;
};

/// Columns of rows.csv; the other ones are not looked at.
const Schema<Origin>& origin_columns() {
  static const Schema<Origin> table{"rows.csv", "a generation",
                                    joined<Origin>({{{"row_id", &Origin::row_id, Count{}, ""},
                                                     {"prompt_id", &Origin::prompt, Text{}, ""}},
                                                    axes_columns<Origin>(&Origin::axes)})};
  return table;
}

using Origins = std::unordered_map<std::int64_t, Origin>;  ///< by row_id

std::string rows_beside(const std::string& path) {
  return (std::filesystem::path(path).parent_path() / "rows.csv").string();
}

Origins read_origins(const std::string& path) {
  Origins origins;
  Table::read_pieces(path, [&origins](const Table& piece) {
    const ColumnGroups groups = origin_columns().groups_in(piece);
    for (std::size_t row = 0; row < piece.size(); ++row) {
      Origin origin = origin_columns().read_row(piece, row, groups);
      if (!origins.try_emplace(origin.row_id, std::move(origin)).second)
        piece.fail(row, "row_id", "occurs twice");
    }
  });
  return origins;
}

bool is_forced(const SettingFilter& filter, const Setting& setting) {
  return setting.verifier == "replay" && !filter.verifier;
}

/// Reads rounds.csv row by row.
class RoundReader {
 public:
  /// @param origins  null: none are known
  RoundReader(const SettingFilter& filter, const Origins* origins,
              const std::function<void(const TracedRound&)>& visit)
      : filter_(filter), origins_(origins), visit_(visit) {}

  void read(const Table& piece) {
    piece.expect_columns(rounds_table().names());
    for (std::size_t row = 0; row < piece.size(); ++row) read_row(piece, row);
  }
  std::int64_t rounds() const { return rounds_; }
  std::int64_t kept() const { return kept_; }
  std::int64_t forced() const { return forced_; }

 private:
  void read_row(const Table& table, std::size_t row) {
    const Round round = rounds_table().read_row(table, row);
    const std::int64_t id = round.row_id;
    const Origin* origin = origins_ != nullptr ? &origin_of(table, row, id) : nullptr;
    check_round(table, row, round,
                {.round = next_round_[id]++,
                 .is_chain = round.drafted == round.depth,
                 .is_step = origin != nullptr && !origin->axes.generation.empty()});
    ++rounds_;
    if (origin != nullptr && !filter_.keeps(origin->axes)) return;
    if (origin != nullptr && is_forced(filter_, origin->axes)) {
      ++forced_;
      return;
    }
    ++kept_;
    const std::string number = origin != nullptr ? "" : std::to_string(id);
    visit_({.cluster = origin != nullptr ? origin->prompt : number,
            .axes = origin != nullptr ? &origin->axes : nullptr,
            .round = round});
  }

  const Origin& origin_of(const Table& table, std::size_t row, std::int64_t id) const {
    const auto origin = origins_->find(id);
    if (origin == origins_->end()) table.fail(row, "row_id", "not in rows.csv beside it");
    return origin->second;
  }

  const SettingFilter& filter_;
  const Origins* origins_;
  const std::function<void(const TracedRound&)>& visit_;
  std::unordered_map<std::int64_t, std::int64_t> next_round_;  ///< of each generation
  std::int64_t rounds_ = 0, kept_ = 0, forced_ = 0;
};

}  // namespace

bool has_rows_beside(const std::string& path) {
  std::error_code error;  // what cannot be looked at is read, and refused there
  return std::filesystem::symlink_status(rows_beside(path), error).type() !=
         std::filesystem::file_type::not_found;
}

std::int64_t read_trace(const std::string& path, const SettingFilter& filter,
                        const std::function<void(const TracedRound&)>& visit) {
  Origins origins;
  const bool has_rows = has_rows_beside(path);
  if (has_rows)
    origins = read_origins(rows_beside(path));
  else if (!filter.keeps_everything())
    throw DataError(
        fmt::format("{}: no rows.csv stands beside it, so its rounds have no model, drafter, "
                    "verifier or temperature; leave those options out",
                    path));
  RoundReader reader(filter, has_rows ? &origins : nullptr, visit);
  Table::read_pieces(path, [&reader](const Table& piece) { reader.read(piece); });
  if (reader.rounds() == 0)
    throw DataError(path + ": no rounds; an empty trace says nothing about acceptance");
  if (reader.kept() == 0 && reader.forced() > 0)
    throw DataError(
        fmt::format("{}: all {} rounds of that model, drafter and temperature have forced "
                    "verdicts; only the verifier replay takes them",
                    path, reader.forced()));
  if (reader.kept() == 0)
    throw DataError(path +
                    ": no round has that model, drafter, verifier and temperature; rows.csv beside "
                    "it lists all settings");
  return reader.forced();
}

}  // namespace speclab::analysis
