#include "analysis/io/trace.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "analysis/io/read_axes.h"
#include "analysis/io/read_rounds.h"
#include "analysis/io/table.h"
#include "sim/core/errors.h"

namespace speclab::analysis {
namespace {

/// A row of rows.csv, as far as a trace needs it.
struct Origin {
  std::string prompt;
  CellAxes axes;
};

std::map<std::int64_t, Origin> read_origins(const std::string& path) {
  const Table table = Table::read(path);
  std::map<std::int64_t, Origin> origins;
  for (std::size_t row = 0; row < table.size(); ++row)
    if (!origins.try_emplace(table.count(row, "row_id"), Origin{table.text(row, "prompt_id"), read_axes(table, row)}).second)
      table.fail(row, "row_id", "occurs twice");
  return origins;
}

bool keeps(const TraceFilter& filter, const CellAxes& axes) {
  if (axes.verifier == "replay" && !filter.verifier) return false;
  return (!filter.verifier || axes.verifier == *filter.verifier) && (!filter.model || axes.model == *filter.model) && (!filter.drafter || axes.drafter == *filter.drafter) &&
         (!filter.is_greedy || (axes.temperature == 0) == *filter.is_greedy) && (!filter.temperature || axes.temperature == *filter.temperature);
}

bool is_empty(const TraceFilter& filter) { return !filter.model && !filter.drafter && !filter.verifier && !filter.is_greedy && !filter.temperature; }

/// Rounds of one generation stand together, in order.
std::vector<TracedGeneration> read_generations(const std::string& path, const std::map<std::int64_t, Origin>* origins) {
  const Table table = Table::read(path);
  expect_round_columns(table);
  if (table.size() == 0) throw DataError(path + ": no rounds; an empty trace says nothing about acceptance");
  std::vector<TracedGeneration> generations;
  std::map<std::int64_t, std::size_t> place;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::int64_t id = table.count(row, "row_id");
    const auto [found, is_new] = place.try_emplace(id, generations.size());
    if (is_new) {
      generations.push_back({.row_id = id, .cluster = std::to_string(id), .rounds = {}});
      if (origins) {
        const auto origin = origins->find(id);
        if (origin == origins->end()) table.fail(row, "row_id", "not in rows.csv beside it");
        generations.back().cluster = origin->second.prompt;
        generations.back().axes = origin->second.axes;
      }
    }
    TracedGeneration& generation = generations[found->second];
    const bool is_chain = table.count(row, "drafted") == table.count(row, "depth");
    generation.rounds.push_back(
        read_round_fields(table, row, {.row_id = id, .round = static_cast<std::int64_t>(generation.rounds.size()), .is_chain = is_chain}));
  }
  return generations;
}

}  // namespace

std::vector<TracedGeneration> read_trace(const std::string& path, const TraceFilter& filter) {
  const std::string rows = (std::filesystem::path(path).parent_path() / "rows.csv").string();
  std::map<std::int64_t, Origin> origins;
  std::error_code error;
  const bool has_rows = std::filesystem::symlink_status(rows, error).type() != std::filesystem::file_type::not_found;  // what cannot be looked at is read, and refused there
  if (has_rows)
    origins = read_origins(rows);
  else if (!is_empty(filter))
    throw DataError(
        fmt::format("{}: no rows.csv beside it, so its rounds cannot be told apart by model, drafter, verifier or temperature; leave those options out", path));
  std::vector<TracedGeneration> generations = read_generations(path, has_rows ? &origins : nullptr);
  if (has_rows) std::erase_if(generations, [&](const TracedGeneration& generation) { return !keeps(filter, *generation.axes); });
  if (generations.empty()) throw DataError(path + ": no round of that model, drafter, verifier and temperature; rows.csv beside it lists those that were run");
  return generations;
}

}  // namespace speclab::analysis
