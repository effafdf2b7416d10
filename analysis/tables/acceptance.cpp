#include "analysis/tables/acceptance.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "analysis/tables/fields.h"
#include "analysis/tables/file_digests.h"
#include "sim/core/token_tree.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// Sums made in two orders may differ by that share.
constexpr double kSumRounding = 1e-9;

template <typename Row>
void check_sums(const Table& table, std::size_t place, const Row& row) {
  const DepthSums& sums = row.sums;
  if (sums.drafts > row.positions) table.fail(place, "drafts", "at most positions");
  check_part(table, place, "reached", sums.reached, static_cast<double>(sums.drafts));
  check_part(table, place, "accepted", sums.accepted, sums.reached);
  for (std::size_t rank = 0; rank < sums.known_ranks; ++rank) {
    const std::string column = fmt::format("in_top_{}", rank + 1);
    check_part(table, place, column, sums.in_top[rank], sums.reached);
    if (rank > 0 && sums.in_top[rank] < sums.in_top[rank - 1] * (1 - kSumRounding))
      table.fail(place, column, "at least that of the rank before");
  }
}

/// The target's mass on the drafter's k most likely tokens, for each k; empty from the first rank
/// on that is not known.
template <typename Row>
std::vector<Column<Row>> rank_columns() {
  std::vector<Column<Row>> columns;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    const std::string name = fmt::format("in_top_{}", rank + 1);
    columns.push_back(
        {name, "–",
         rank > 0 ? ""
                  : "sum of those chances times the mass of the target on the k most likely tokens "
                    "of the drafter; k ends the name. At temperature 0 there are as many as "
                    "drafted siblings. A "
                    "field is empty if any draft of the prompt tells fewer",
         [name, rank](const Table& table, std::size_t place, Row& row) {
           const auto value = table.optional_number(place, name);
           if (rank == 0) row.sums.known_ranks = 0;
           if (!value) return;
           if (row.sums.known_ranks != rank)
             table.fail(place, name, "missing, because the rank before it is");
           if (*value < 0)
             table.fail(place, name, fmt::format("{}; allowed: numbers from 0", *value));
           row.sums.in_top[rank] = *value;
           row.sums.known_ranks = rank + 1;
         },
         [rank](const Row& row, CsvWriter& csv) {
           rank < row.sums.known_ranks ? csv.field(row.sums.in_top[rank]) : csv.missing();
         }});
  }
  return columns;
}

template <typename Row>
Column<Row> positions_column() {
  return {"positions", &Row::positions, Count{.least = 1, .unit = "tokens"},
          "places of its text, also those where the drafter had nothing to say"};
}

template <typename Row>
Column<Row> depth_column() {
  constexpr std::int64_t kDeepest = 10'000;
  return {"depth", &Row::depth, Count{.least = 1, .most = kDeepest, .unit = "tokens"},
          "depth of the drafted token, 1 is the first"};
}

template <typename Row>
std::vector<Column<Row>> sum_columns() {
  const auto of = part_of(&Row::sums);
  return {{"drafts", of(&DepthSums::drafts), Count{}, "drafts that have one there"},
          {"reached", of(&DepthSums::reached), Number{},
           "sum of the chances that the token is tested at all"},
          {"accepted", of(&DepthSums::accepted), Number{},
           "sum of those chances times the sum of min(p, q), the chance that the drafted token "
           "is kept. If tokens are chosen (temperature 0, grown trees), p of the first takes the "
           "place of that sum"}};
}

/// @param before  the depth of the row before of the same texts, 0 if there is none
template <typename Row>
void check_depth(const Table& table, std::size_t place, const Row& row, int before) {
  if (row.depth != before + 1)
    table.fail(place, "depth",
               fmt::format("{}; allowed: {}, the next of its texts", row.depth, before + 1));
}

/// Checks a row against those before it.
class EarlierDepths {
 public:
  void check(const Table& table, std::size_t row, const AcceptanceRow& next) {
    cells_.check(table, row, next.cell_id, next.axes);
    auto [text, is_first] = texts_.try_emplace({next.cell_id, next.prompt_id}, next);
    AcceptanceRow& before = text->second;
    check_depth(table, row, next, is_first ? 0 : before.depth);
    if (next.positions != before.positions)
      table.fail(row, "positions", "an earlier row of the cell and prompt has others");
    if (next.category != before.category)
      table.fail(row, "category", "an earlier row of the cell and prompt has another");
    if (next.sums.drafts > before.sums.drafts)
      table.fail(row, "drafts", "more than at the depth before");
    before = next;
  }

 private:
  CellSettings cells_;
  std::map<std::pair<std::string, std::string>, AcceptanceRow> texts_;  ///< the deepest row of each
};

std::size_t num_texts(const std::vector<AcceptanceRow>& rows) {
  return static_cast<std::size_t>(std::ranges::count(rows, 1, &AcceptanceRow::depth));
}

/// @throws DataError unless the tree of the drafts is a shape that is as deep
void check_tree(const Table& table, std::size_t place, const DrafterCounts& row) try {
  TreeShape::parse(row.setting.tree, row.depth);
} catch (const ConfigError& error) {
  table.fail(place, "tree", error.what());
}

}  // namespace

const Schema<AcceptanceRow>& acceptance_table() {
  using A = AcceptanceRow;
  static const Schema<A> table{
      "acceptance.csv",
      "a prompt of a cell and a depth of its drafts (kind `drafter_acceptance`, which writes this, "
      "the manifest and the next)",
      joined<A>({cell_columns<A>(&A::cell_id, &A::category, &A::axes),
                 {{"prompt_id", &A::prompt_id, Text{}, "prompt"},
                  positions_column<A>(),
                  depth_column<A>()},
                 sum_columns<A>(),
                 rank_columns<A>()})};
  return table;
}

const Schema<DrafterCounts>& drafter_counts_table() {
  using D = DrafterCounts;
  const auto of = part_of(&D::setting);
  static const Schema<D> table{
      "acceptance.csv of a drafter",
      "a group of held-out texts and a depth of the drafts in it (`speclab train` writes it beside "
      "the drafter, `speclab predict --machine` reads it)",
      joined<D>(
          {{{"drafter", of(&Setting::drafter), Text{}, "kind of drafter"},
            {"tree", of(&Setting::tree), Text{}, "of its drafts, whose first nodes are a chain"},
            {"temperature", of(&Setting::temperature), Number{}, ""},
            {"category", &D::category, Text{}, "group: a kind of text, or one text"},
            depth_column<D>(),
            {"n_prompts", &D::n_prompts, Count{.least = 1},
             "texts of the group that have a draft as deep"},
            positions_column<D>()},
           sum_columns<D>(),
           rank_columns<D>()})};
  return table;
}

std::vector<AcceptanceRow> read_acceptance(const std::string& path) {
  EarlierDepths before;
  return acceptance_table().read(
      path, [&before](const Table& table, std::size_t place, const AcceptanceRow& row) {
        check_sums(table, place, row);
        before.check(table, place, row);
      });
}

std::vector<DrafterCounts> read_drafter_counts(const std::string& path) {
  std::map<std::pair<Setting, std::string>, DrafterCounts> last;  // by drafter and group
  std::map<std::pair<std::string, double>, std::string> trees;    // by drafter and temperature
  auto rows = drafter_counts_table().read(path, [&](const Table& table, std::size_t place,
                                                    const DrafterCounts& row) {
    check_sums(table, place, row);
    auto [before, is_first] = last.try_emplace({row.setting, row.category}, row);
    check_depth(table, place, row, is_first ? 0 : before->second.depth);
    check_tree(table, place, row);
    if (!is_first && row.sums.drafts > before->second.sums.drafts)
      table.fail(place, "drafts", "more than at the depth before");
    before->second = row;
    const auto tree =
        trees.try_emplace({row.setting.drafter, row.setting.temperature}, row.setting.tree).first;
    if (tree->second != row.setting.tree)
      table.fail(place, "tree", "another than in earlier rows of the drafter and temperature");
  });
  if (rows.empty()) throw DataError(path + ": no counts; `speclab train` writes some");
  return rows;
}

bool are_rounds_observed(const Manifest& manifest) {
  return std::ranges::find(manifest.config,
                           std::pair<std::string, std::string>("experiment.places", "rounds")) !=
         manifest.config.end();
}

std::string AcceptanceRun::missing() const { return manifest.missing(num_texts(rows), "texts"); }

AcceptanceRun read_acceptance_run(const std::string& folder) {
  AcceptanceRun run{.manifest = read_manifest(folder + "/manifest.toml"), .rows = {}};
  expect_measured(folder, "acceptance.csv");
  run.rows = read_acceptance(folder + "/acceptance.csv");
  if (const std::string siblings = folder + "/siblings.csv"; std::filesystem::exists(siblings))
    run.siblings = read_siblings(siblings);
  if (run.rows.empty())
    throw EmptyRunError(folder +
                        "/acceptance.csv: no rows; the run was interrupted before it measured "
                        "anything; repeat speclab run to continue it");
  if (num_texts(run.rows) > static_cast<std::size_t>(run.manifest.planned_generations.value_or(
                                std::numeric_limits<std::int64_t>::max())))
    throw DataError(
        folder +
        "/manifest.toml: provenance.planned_generations is less than the texts of acceptance.csv");
  return run;
}

}  // namespace speclab::analysis
