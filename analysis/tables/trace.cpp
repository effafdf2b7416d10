#include "analysis/tables/trace.h"

#include <fmt/format.h>

#include <filesystem>
#include <unordered_map>

#include "analysis/tables/read_axes.h"
#include "analysis/tables/read_rounds.h"
#include "analysis/tables/table.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// A row of rows.csv, as far as a trace needs it.
struct Origin {
  std::string prompt;
  CellAxes axes;
};

using Origins = std::unordered_map<std::int64_t, Origin>;  ///< by row_id

std::string rows_beside(const std::string& path) {
  return (std::filesystem::path(path).parent_path() / "rows.csv").string();
}

Origins read_origins(const std::string& path) {
  Origins origins;
  Table::read_pieces(path, [&origins](const Table& piece) {
    for (std::size_t row = 0; row < piece.size(); ++row)
      if (!origins
               .try_emplace(piece.count(row, "row_id"),
                            Origin{piece.text(row, "prompt_id"), read_axes(piece, row)})
               .second)
        piece.fail(row, "row_id", "occurs twice");
  });
  return origins;
}

bool is_forced(const TraceFilter& filter, const CellAxes& axes) {
  return axes.verifier == "replay" && !filter.verifier;
}

bool keeps(const TraceFilter& filter, const CellAxes& axes) {
  return (!filter.verifier || axes.verifier == *filter.verifier) &&
         (!filter.model || axes.model == *filter.model) &&
         (!filter.drafter || axes.drafter == *filter.drafter) &&
         (!filter.is_greedy || (axes.temperature == 0) == *filter.is_greedy) &&
         (!filter.temperature || axes.temperature == *filter.temperature);
}

bool is_empty(const TraceFilter& filter) {
  return !filter.model && !filter.drafter && !filter.verifier && !filter.is_greedy &&
         !filter.temperature;
}

/// Reads rounds.csv row by row.
class RoundReader {
 public:
  /// @param origins  null: none are known
  RoundReader(const TraceFilter& filter, const Origins* origins,
              const std::function<void(const TracedRound&)>& visit)
      : filter_(filter), origins_(origins), visit_(visit) {}

  void read(const Table& piece) {
    expect_round_columns(piece);
    for (std::size_t row = 0; row < piece.size(); ++row) read_row(piece, row);
  }
  std::int64_t rounds() const { return rounds_; }
  std::int64_t kept() const { return kept_; }
  std::int64_t forced() const { return forced_; }

 private:
  void read_row(const Table& table, std::size_t row) {
    const std::int64_t id = table.count(row, "row_id");
    const Origin* origin = origins_ != nullptr ? &origin_of(table, row, id) : nullptr;
    const bool is_chain = table.count(row, "drafted") == table.count(row, "depth");
    const Round round = read_round_fields(
        table, row, {.row_id = id, .round = next_round_[id]++, .is_chain = is_chain});
    ++rounds_;
    if (origin != nullptr && !keeps(filter_, origin->axes)) return;
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

  const TraceFilter& filter_;
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

std::int64_t read_trace(const std::string& path, const TraceFilter& filter,
                        const std::function<void(const TracedRound&)>& visit) {
  Origins origins;
  const bool has_rows = has_rows_beside(path);
  if (has_rows)
    origins = read_origins(rows_beside(path));
  else if (!is_empty(filter))
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
