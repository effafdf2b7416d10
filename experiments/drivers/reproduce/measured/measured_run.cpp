#include "experiments/drivers/reproduce/measured/measured_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/tables/file_digests.h"
#include "engines/interface/names.h"

namespace speclab::experiments {
namespace {

/// The folder, of a run of that kind whose files are as they were written.
std::string checked(const std::string& folder, const std::string& kind) {
  analysis::check_unchanged(folder);
  const std::string found = analysis::read_manifest(folder + "/manifest.toml").kind;
  if (found != kind)
    throw DataError(fmt::format(
        "{}: a run of the kind {}; allowed: {}, as the config in experiments/configs/papers has it",
        folder, escaped(found), kind));
  return folder;
}

/// @param missing  what Manifest::missing says of its rows
void expect_whole(const std::string& folder, const std::string& missing) {
  if (!missing.empty())
    throw DataError(fmt::format("{}: a table is read from whole sweeps: {}", folder, missing));
}

analysis::Run whole_run(const std::string& folder) {
  analysis::Run run = analysis::read_run(checked(folder, "decoding"));
  expect_whole(folder, run.manifest.missing(run.num_measured(), "generations"));
  return run;
}

double token_count(const analysis::Generation& g) { return static_cast<double>(g.output_tokens); }
double walltime_s(const analysis::Generation& g) {
  return static_cast<double>(g.walltime_ns()) * 1e-9;
}

}  // namespace

MeasuredRun::MeasuredRun(const std::string& folder)
    : run_(whole_run(folder)),
      baseline_(run_),
      bootstrap_(run_.manifest.seed),
      pooled_(analysis::pooled_groups(run_, baseline_, bootstrap_)),
      by_category_(analysis::groups_by_category(run_, baseline_, bootstrap_)) {
  for (const analysis::BridgeRow& row : analysis::read_bridges(folder + "/bridges.csv")) {
    check_bridge(row);
    bridges_[row.row_id] = row.use;
  }
}

void MeasuredRun::check_bridge(const analysis::BridgeRow& row) const {
  const auto refuse = [&](const std::string& why) {
    throw DataError(fmt::format("{}/bridges.csv: row_id {} {}; take both files of one run",
                                run_.folder, row.row_id, why));
  };
  const auto of_row =
      std::ranges::find(run_.generations, row.row_id, &analysis::Generation::row_id);
  if (of_row == run_.generations.end()) refuse("is not in rows.csv");
  if (!engines::is_among(row.use.bridge, engines::kBridgeNames))
    refuse(fmt::format("has the bridge '{}', which is none", escaped(row.use.bridge, 40)));
  if (row.use.unshared_outputs > of_row->output_tokens)
    refuse("has more tokens outside the drafter's vocabulary than its text");
}

const BridgeUse& MeasuredRun::bridge_of(const analysis::Generation& generation) const {
  const auto found = bridges_.find(generation.row_id);
  if (found == bridges_.end())
    throw DataError(
        fmt::format("{}/bridges.csv: no row for row_id {}; measure it with the config in "
                    "experiments/configs/papers",
                    run_.folder, generation.row_id));
  return found->second;
}

std::int64_t MeasuredRun::hit_rounds(const analysis::Generation& generation) const {
  const auto first = run_.rounds.begin() + static_cast<std::ptrdiff_t>(generation.first_round);
  return std::count_if(first, first + generation.rounds,
                       [](const analysis::Round& round) { return round.accepted > 0; });
}

analysis::Estimate MeasuredRun::ratio(const analysis::Generations& generations,
                                      const analysis::Quantity& numerator,
                                      const analysis::Quantity& denominator) const {
  const auto estimate = analysis::ratio_over(generations, numerator, denominator, bootstrap_);
  if (!estimate) throw DataError(run_.folder + ": a ratio over nothing");
  return *estimate;
}

analysis::Estimate MeasuredRun::tokens_per_s(const analysis::Group& group) const {
  return ratio(group.generations, token_count, walltime_s);
}

std::optional<double> MeasuredRun::predicted_tokens_per_s(const analysis::Group& group) const {
  const auto& predicted_ns = group.summary.prediction.walltime_ns;
  if (!predicted_ns) return std::nullopt;
  double tokens = 0;
  for (const analysis::Generation* g : group.generations) tokens += token_count(*g);
  return tokens / static_cast<double>(group.generations.size()) / *predicted_ns * 1e9;
}

analysis::Estimate MeasuredRun::speed_over(const analysis::Group& first,
                                           const analysis::Group& group) const {
  struct Times {
    double first = 0, own = 0;
  };
  std::map<std::string, Times> by_prompt;
  for (const analysis::Generation* g : group.generations)
    by_prompt[g->cluster()].own += walltime_s(*g) / token_count(*g);
  for (const analysis::Generation* g : first.generations) {
    const auto own = std::ranges::find(group.generations, g->prompt_id,
                                       [](const auto* other) { return other->prompt_id; });
    if (own != group.generations.end())
      by_prompt[(*own)->cluster()].first += walltime_s(*g) / token_count(*g);
  }
  analysis::ClusterTotals totals;
  for (const auto& [prompt, times] : by_prompt) totals.add(times.first, times.own);
  return bootstrap_.ratio(totals);
}

double MeasuredRun::rows_per_round(const analysis::Group& group) const {
  std::int64_t rows = 0, rounds = 0;
  for (const analysis::Generation* g : group.generations)
    for (std::size_t i = 0; i < static_cast<std::size_t>(g->rounds); ++i, ++rounds)
      rows += run_.rounds[g->first_round + i].rows;
  return static_cast<double>(rows) / static_cast<double>(rounds);
}

int MeasuredRun::prompts_with_text_of(const analysis::Group& first,
                                      const analysis::Group& group) const {
  std::map<std::string, std::set<std::string>> texts;
  for (const auto* generations : {&first.generations, &group.generations})
    for (const analysis::Generation* g : *generations) texts[g->prompt_id].insert(g->output_hash);
  return static_cast<int>(std::ranges::count_if(
      texts, [](const auto& of_prompt) { return of_prompt.second.size() == 1; }));
}

std::string MeasuredRun::text_of(const analysis::Generation& generation) const {
  std::string text;
  for (const analysis::TextSample& sample : run_.texts)
    if (sample.row_id == generation.row_id)
      for (const analysis::TextPiece& piece : sample.pieces) text += piece.text;
  return text;
}

std::string MeasuredRun::description() const {
  std::set<std::string> prompts, models;
  for (const analysis::Generation& generation : run_.generations) {
    prompts.insert(generation.prompt_id);
    models.insert(generation.axes.model);
  }
  return fmt::format("{} of {} prompts on {}",
                     models.size() == 1 ? *models.begin() : fmt::format("{} models", models.size()),
                     prompts.size(), run_.manifest.provenance("machine"));
}

ObservedRun::ObservedRun(const std::string& folder) {
  const analysis::AcceptanceRun run =
      analysis::read_acceptance_run(checked(folder, "drafter_acceptance"));
  expect_whole(folder, run.missing());
  const std::vector<analysis::AcceptanceRow>& rows = run.rows;
  analysis::Bootstrap bootstrap(run.manifest.seed);
  manifest = run.manifest;
  pooled = analysis::drafter_acceptance(rows, true, bootstrap);
  by_category = analysis::drafter_acceptance(rows, false, bootstrap);
  std::set<std::string> prompts;
  for (const analysis::AcceptanceRow& row : rows) prompts.insert(row.prompt_id);
  const auto first = pooled.empty() ? 0 : pooled.front().positions;
  description =
      fmt::format("{} on {} places of its own text for {} prompts",
                  pooled.empty() ? "nothing" : pooled.front().axes.model, first, prompts.size());
}

const analysis::Group& group_where(const std::vector<analysis::Group>& groups,
                                   const GroupTest& test, const std::string& what) {
  const auto found = std::ranges::find_if(groups, test);
  if (found == groups.end() || std::ranges::count_if(groups, test) != 1)
    throw DataError(
        fmt::format("the sweep has {} cells for {}; allowed: one; measure it with the config in "
                    "experiments/configs/papers",
                    std::ranges::count_if(groups, test), what));
  return *found;
}

const analysis::DrafterAcceptance& drafter_where(
    const std::vector<analysis::DrafterAcceptance>& drafters, const std::string& drafter,
    double temperature, const std::string& category) {
  const auto test = [&](const analysis::DrafterAcceptance& d) {
    return d.axes.drafter == drafter && d.axes.temperature == temperature &&
           d.category == category && !d.depths.empty();
  };
  const auto count = std::ranges::count_if(drafters, test);
  if (count != 1)
    throw DataError(
        fmt::format("the sweep has {} cells with drafts of {} at temperature {} in {}; allowed: "
                    "one; measure it with the config in experiments/configs/papers",
                    count, drafter, temperature, category));
  return *std::ranges::find_if(drafters, test);
}

std::size_t row_where(const analysis::Table& table, const RowTest& test, const std::string& what) {
  for (std::size_t row = 0; row < table.size(); ++row)
    if (test(row)) return row;
  table.fail(0, "source", "no row of the table is " + what);
}

Comparison beside_mean(const analysis::Table& table, const std::string& value_column,
                       const RowTest& test, Comparison ours, double theirs_per_one) {
  std::vector<double> values;
  for (std::size_t row = 0; row < table.size(); ++row)
    if (test(row)) values.push_back(table.number(row, value_column) / theirs_per_one);
  const std::size_t first = row_where(table, test, ours.setting);
  ours.source = table.text(first, "source");
  ours.locator = table.text(first, "locator");
  ours.reference = std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
  ours.origin = Origin::recomputed;
  return ours;
}

Comparison beside_claim(const analysis::Table& claims, Comparison ours, const std::string& theirs,
                        std::string note) {
  const std::string quantity = std::exchange(ours.quantity, theirs);
  ours = compare(claims, ours);
  ours.quantity = quantity;
  ours.note = std::move(note);
  return ours;
}

Comparison measured(std::string setting, std::string quantity, const analysis::Estimate& ours) {
  return {.setting = std::move(setting),
          .quantity = std::move(quantity),
          .ours = ours.value,
          .interval = ours.interval,
          .prompts = static_cast<int>(ours.n)};
}

void add_with_prediction(const Comparison& row, const std::optional<double>& predicted,
                         Reproduction& result) {
  result.rows.push_back(row);
  if (predicted)
    result.rows.push_back({.setting = row.setting,
                           .quantity = "predicted_" + row.quantity,
                           .ours = *predicted,
                           .note = "from pilots and timed forwards"});
}

std::string context_remark(const std::string& ours, const std::string& theirs) {
  return fmt::format(
      "ours: {}; theirs: {}. Models, prompts and machines differ, so no number must agree: compare "
      "order and shape",
      ours, theirs);
}

BesideFigure::BesideFigure(std::string id, std::string title, analysis::Axis x, std::string y,
                           std::string caption)
    : figure_{.id = std::move(id),
              .title = std::move(title),
              .caption = std::move(caption),
              .x = std::move(x),
              .y = {.label = std::move(y)}} {
  if (!figure_.x.names.empty() || figure_.x.label.empty())
    figure_.kind = analysis::FigureKind::marks;
}

void BesideFigure::add(const std::string& name, double x, const analysis::Estimate& ours) {
  analysis::series_named(figure_, name).points.push_back(analysis::make_point(x, ours));
}

void BesideFigure::add_theirs(const std::string& name, double x, double value) {
  analysis::series_named(figure_, name)
      .points.push_back({.x = x, .y = value, .mark = analysis::Mark::hollow});
}

}  // namespace speclab::experiments
