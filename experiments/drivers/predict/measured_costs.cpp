#include "experiments/drivers/predict/measured_costs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>

#include "analysis/io/costs.h"
#include "experiments/drivers/predict/interval_value.h"
#include "experiments/drivers/run/held_costs.h"
#include "sim/analytic/cost_surface.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

using analysis::CostRow;

/// Whose costs they are.
struct Pair {
  std::string model, drafter, verifier, regime;
  auto operator<=>(const Pair&) const = default;
  /// The model alone, in the same regime.
  Pair plain() const { return {model, "", "", regime}; }
  std::string text() const {
    std::string text = fmt::format("{} with {}", model, drafter);
    for (const std::string& part : {verifier, regime})
      if (!part.empty()) text += ", " + part;
    return text;
  }
};

std::optional<std::string> regime_asked_for(const PredictOptions& options) {
  if (!options.temperature) return std::nullopt;
  return parse_number("--temperature", *options.temperature, {0.0, 1e3, "numbers from 0 to 1000"}) == 0 ? "greedy" : "sampled";
}

/// Pairs that draft chains, in the order of the file.
std::vector<Pair> chain_pairs(const std::vector<CostRow>& costs) {
  std::vector<Pair> pairs;
  for (const CostRow& row : costs) {
    const Pair pair{row.model, row.drafter, row.verifier, row.regime};
    const bool is_chain = row.tree.empty() || row.tree == "chain";
    if (row.kind == "draft" && is_chain && std::ranges::count(pairs, pair) == 0) pairs.push_back(pair);
  }
  return pairs;
}

std::string list_of(const std::vector<Pair>& pairs) {
  std::vector<std::string> texts;
  for (const Pair& pair : pairs) texts.push_back(pair.text());
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// The pairs that the options leave, in the order of the file.
std::vector<Pair> chosen_pairs(const std::string& path, const std::vector<CostRow>& costs, const PredictOptions& options) {
  const std::vector<Pair> all = chain_pairs(costs);
  if (all.empty()) throw DataError(path + ": no cost of kind draft for a chain; what drafting costs must be measured or given as --cost-ratio");
  const auto regime = regime_asked_for(options);
  std::vector<Pair> left;
  std::ranges::copy_if(all, std::back_inserter(left), [&](const Pair& pair) {
    return (!options.model || pair.model == *options.model) && (!options.drafter || pair.drafter == *options.drafter) &&
           (!options.verifier || pair.verifier.empty() || pair.verifier == *options.verifier) && (!regime || pair.regime.empty() || pair.regime == *regime);
  });
  if (left.empty()) throw ConfigError(fmt::format("--model, --drafter, --verifier and --temperature leave no costs of {}; it has: {}", path, list_of(all)));
  return left;
}

sim::CostKind kind_of(const std::string& kind) {
  if (kind == "target") return sim::CostKind::target;
  if (kind == "draft") return sim::CostKind::draft;
  return sim::CostKind::overhead;
}

double ns_at(const analysis::Estimate& ns, End end) {
  if (!ns.interval || end == End::value) return ns.value;
  return end == End::low ? ns.interval->low : ns.interval->high;
}

/// Rows of one kind that belong to a pair.
std::vector<CostRow> rows_of(const std::vector<CostRow>& costs, const Pair& pair, const std::string& kind) {
  std::vector<CostRow> rows;
  std::ranges::copy_if(costs, std::back_inserter(rows), [&](const CostRow& row) {
    const bool is_chain = row.tree.empty() || row.tree == "chain";
    const bool is_pair = row.model == pair.model && row.drafter == pair.drafter && row.verifier == pair.verifier && is_chain;
    return row.kind == kind && is_pair && (row.regime.empty() || row.regime == pair.regime);
  });
  return rows;
}

/// @throws DataError for rows or contexts beyond those of any machine
std::vector<sim::CostPoint> points_of(const std::string& path, const std::vector<CostRow>& rows, End end) {
  constexpr std::int64_t kMost = 1 << 20;
  std::vector<sim::CostPoint> points;
  for (const CostRow& row : rows) {
    if (row.rows > kMost || row.context > kMost)
      throw DataError(fmt::format("{}: {} rows at context {}; allowed: at most {} of either", path, row.rows, row.context, kMost));
    const double ns = ns_at(row.ns, end);
    points.push_back({.kind = kind_of(row.kind),
                      .rows = static_cast<int>(row.rows),
                      .context = static_cast<int>(row.context),
                      .ns = ns,
                      .ns_low = ns,
                      .ns_high = ns,
                      .n = 1});
  }
  return points;
}

/// @throws DataError where a point was measured twice: which of the two costs would be taken?
void check_distinct(const std::string& path, const std::vector<CostRow>& rows) {
  std::set<std::pair<std::int64_t, std::int64_t>> points;
  for (const CostRow& row : rows)
    if (!points.emplace(row.rows, row.context).second)
      throw DataError(fmt::format("{}: two costs of kind {} for {} rows at context {}; leave one", path, row.kind, row.rows, row.context));
}

/// One row, and every other number of rows, must have been timed at every context. @throws DataError naming the hole
void check_grid(const std::string& path, const std::vector<CostRow>& target) {
  std::set<std::int64_t> rows{1}, contexts;
  std::set<std::pair<std::int64_t, std::int64_t>> points;
  for (const CostRow& row : target) rows.insert(row.rows), contexts.insert(row.context), points.emplace(row.rows, row.context);
  for (const std::int64_t row : rows)
    for (const std::int64_t context : contexts)
      if (!points.contains({row, context}))
        throw DataError(
            fmt::format("{}: no target forward of {} row{} at context {}: a hole in the grid of rows and contexts; measure that point, or leave out "
                        "its row or its context",
                        path, row, row == 1 ? "" : "s", context));
}

/// Costs of one pair at the three ends of their intervals, at one context.
class PairSurface {
 public:
  PairSurface(const std::string& path, const std::vector<CostRow>& costs, const Pair& pair)
      : target_(rows_of(costs, pair.plain(), "target")),
        draft_(rows_of(costs, pair, "draft")),
        overhead_(rows_of(costs, pair, "overhead")),
        plain_overhead_(rows_of(costs, pair.plain(), "overhead")) {
    for (const auto& [rows, what] :
         {std::pair{&target_, "target"}, {&overhead_, "overhead (with the drafter)"}, {&plain_overhead_, "overhead of plain decoding"}})
      if (rows->empty()) throw DataError(fmt::format("{}: no cost of kind {} for {}; measure it, or give ratios", path, what, pair.text()));
    for (const auto* rows : {&target_, &draft_, &overhead_, &plain_overhead_}) check_distinct(path, *rows);
    check_grid(path, target_);
    for (const End end : {End::value, End::low, End::high}) {
      target_at_.emplace_back(points_of(path, target_, end));
      draft_at_.emplace_back(held_constant_outside(points_of(path, draft_, end)));
      overhead_at_.emplace_back(held_constant_outside(points_of(path, overhead_, end)));
      plain_overhead_at_.emplace_back(held_constant_outside(points_of(path, plain_overhead_, end)));
    }
  }

  /// Drafts as long as were timed, and verified in forwards that were timed.
  int longest() const {
    const auto longest = std::min(std::ranges::max(draft_, {}, &CostRow::rows).rows, std::ranges::max(target_, {}, &CostRow::rows).rows - 1);
    return static_cast<int>(std::min<std::int64_t>(longest, kLongestLength));
  }

  /// The context in the middle of those timed.
  int middle_context() const {
    std::set<std::int64_t> contexts;
    for (const CostRow& row : target_) contexts.insert(row.context);
    return static_cast<int>(*std::next(contexts.begin(), static_cast<std::ptrdiff_t>(contexts.size() / 2)));
  }

  std::pair<int, int> contexts() const {
    const auto [low, high] = std::ranges::minmax(target_, {}, &CostRow::context);
    return {static_cast<int>(low.context), static_cast<int>(high.context)};
  }

  bool has_interval() const {
    const auto known = [](const CostRow& row) { return row.ns.interval.has_value(); };
    return std::ranges::any_of(target_, known) || std::ranges::any_of(draft_, known) || std::ranges::any_of(overhead_, known);
  }

  sim::RelativeCosts at(int length, int context, const CostCorner& corner) const {
    const auto index = [](End end) { return static_cast<std::size_t>(end); };
    const sim::CostSurface& target = target_at_[index(corner.verify)];
    const double plain = target.t_target_ns(1, context) + plain_overhead_at_[index(corner.overhead)].overhead_ns(1, context);
    return {.cost_ratio = draft_at_[index(corner.draft)].t_draft_ns(length, context) / (length * plain),
            .verify_cost_ratio = target.t_target_ns(length + 1, context) / plain,
            .overhead_ratio = overhead_at_[index(corner.overhead)].overhead_ns(length + 1, context) / plain};
  }

 private:
  std::vector<CostRow> target_, draft_, overhead_, plain_overhead_;
  std::vector<sim::CostSurface> target_at_, draft_at_, overhead_at_, plain_overhead_at_;  ///< by End
};

/// @throws ConfigError where forwards were not timed
int context_of(const PredictOptions& options, const PairSurface& surface) {
  const auto [low, high] = surface.contexts();
  if (options.context && (*options.context < low || *options.context > high))
    throw ConfigError(fmt::format("--context {}; allowed: {} to {}, which was measured", *options.context, low, high));
  return options.context.value_or(surface.middle_context());
}

}  // namespace

CostInput measured_costs(const PredictOptions& options) {
  const std::string& path = *options.costs;
  const std::vector<CostRow> costs = analysis::read_costs(path);
  const std::vector<Pair> pairs = chosen_pairs(path, costs, options);
  const Pair& pair = pairs[0];
  const auto surface = std::make_shared<const PairSurface>(path, costs, pair);
  const int context = context_of(options, *surface);
  if (surface->longest() < 1) throw DataError(path + ": no target forward of 2 rows or more; a draft of one token needs it");
  CostInput input{.at = [surface, context](int length, const CostCorner& corner) { return surface->at(length, context, corner); },
                  .longest = surface->longest(),
                  .has_interval = surface->has_interval(),
                  .source = fmt::format("{}: {}, at context {}", path, pair.text(), context)};
  input.pair = {.model = pair.model, .drafter = pair.drafter};
  if (!pair.verifier.empty()) input.pair.verifier = pair.verifier;
  if (!pair.regime.empty()) input.pair.is_greedy = pair.regime == "greedy";
  if (pairs.size() > 1)
    input.notes.push_back(fmt::format("costs are of {}; the file also has {}; --model, --drafter, --verifier and --temperature choose", pair.text(),
                                      list_of({pairs.begin() + 1, pairs.end()})));
  input.notes.push_back(fmt::format("lengths up to {} were measured", input.longest));
  return input;
}

}  // namespace speclab::experiments
