#include "analysis/stats/groups.h"

#include <algorithm>
#include <set>

#include "analysis/stats/intervals.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

double walltime(const Generation& g) { return static_cast<double>(g.walltime_ns()); }
double decoding(const Generation& g) { return static_cast<double>(g.decode_ns); }
double rounds(const Generation& g) { return static_cast<double>(g.rounds); }
double tokens(const Generation& g) { return static_cast<double>(g.output_tokens); }
double accepted(const Generation& g) { return static_cast<double>(g.accepted); }
double tested(const Generation& g) { return static_cast<double>(g.tested); }
double drafted(const Generation& g) { return static_cast<double>(g.drafted); }
double one(const Generation&) { return 1; }

/// Whether plain decoding wrote something else, which greedy decoding must not.
bool is_other_text(const Generation& g, const Generation& plain) {
  return g.axes.temperature == 0 && g.lossless && plain.output_hash != g.output_hash;
}

double mean(const Generations& generations, const Quantity& quantity) {
  return sum_over(generations, quantity) / static_cast<double>(generations.size());
}

void add_speedup(const Generations& generations, const Baseline& baseline, Bootstrap& bootstrap,
                 GroupSummary& summary) {
  Generations paired;
  std::vector<double> speedups;
  for (const auto* g : generations) {
    if (g->axes.is_plain() || baseline.partners_of(*g).empty()) continue;
    const Generations& partners = baseline.partners_of(*g);
    paired.push_back(g);
    speedups.push_back(mean(partners, walltime) / walltime(*g));
    if (std::ranges::any_of(partners, [g](const Generation* p) {
          return p->repetition == g->repetition && p->output_tokens != g->output_tokens;
        }))
      ++summary.unequal_pairs;
    if (std::ranges::any_of(partners, [g](const Generation* p) { return is_other_text(*g, *p); }))
      ++summary.other_texts;
    if (std::ranges::any_of(partners,
                            [g](const Generation* p) { return p->section != g->section; }))
      ++summary.apart_pairs;
  }
  const auto plain = [&baseline](const Quantity& quantity) {
    return [&baseline, quantity](const Generation& g) {
      return mean(baseline.partners_of(g), quantity);
    };
  };
  summary.speedup = ratio_over(paired, plain(walltime), walltime, bootstrap);
  if (!speedups.empty()) summary.pair_speedup = median(std::move(speedups));
  summary.decoding_speedup = ratio_over(paired, plain(decoding), decoding, bootstrap);
}

void add_time_split(const Generations& generations, Bootstrap& bootstrap, GroupSummary& summary) {
  const double num_rounds = sum_over(generations, rounds);
  if (num_rounds <= 0) return;
  const auto per_round = [&](const Quantity& quantity) {
    return sum_over(generations, quantity) / num_rounds;
  };
  summary.split = {
      .draft_ns = per_round([](const Generation& g) { return static_cast<double>(g.draft_ns); }),
      .target_ns = per_round([](const Generation& g) { return static_cast<double>(g.target_ns); }),
      .verify_ns = per_round([](const Generation& g) { return static_cast<double>(g.verify_ns); }),
      .other_ns = per_round([](const Generation& g) { return static_cast<double>(g.other_ns); })};
  const auto split_ns = [](const Generation& g) {
    return static_cast<double>(g.draft_ns + g.target_ns + g.verify_ns + g.other_ns);
  };
  if (const auto estimate = ratio_over(generations, split_ns, rounds, bootstrap))
    summary.round_ns = *estimate;
  summary.token_ns = ratio_over(generations, split_ns, tokens, bootstrap);
}

/// The predicted interval of the one cell that all are of; several cells together have none.
std::optional<sim::Interval> speedup_interval(const Generations& generations, const Run& run) {
  const std::string& cell = generations.front()->cell_id;
  const auto found = run.predictions.find(cell);
  const bool is_one =
      std::ranges::all_of(generations, [&](const Generation* g) { return g->cell_id == cell; });
  return is_one && found != run.predictions.end() ? found->second.speedup_interval : std::nullopt;
}

/// One prediction for cells that are measured together: sums over generations, so that ratios stay
/// ratios of totals.
Prediction pooled_prediction(const Generations& generations, const Run& run) {
  double walltime_sum = 0, paced_sum = 0, plain_sum = 0, token_sum = 0, round_sum = 0,
         acceptance_sum = 0, tested_sum = 0;
  bool has_walltime = true, has_pace = true, has_speedup = true, has_tokens = true,
       has_acceptance = true;
  for (const auto* g : generations) {
    const auto found = run.predictions.find(g->cell_id);
    const Prediction p = found == run.predictions.end() ? Prediction{} : found->second;
    has_walltime = has_walltime && p.walltime_ns;
    has_pace = has_pace && p.paced_walltime_ns;
    has_speedup = has_speedup && has_walltime && p.speedup;
    has_tokens = has_tokens && p.tokens_per_round;
    has_acceptance = has_acceptance && p.acceptance_rate;
    walltime_sum += p.walltime_ns.value_or(0);
    paced_sum += p.paced_walltime_ns.value_or(0);
    plain_sum += p.walltime_ns.value_or(0) * p.speedup.value_or(0);
    token_sum += tokens(*g);
    round_sum += tokens(*g) / p.tokens_per_round.value_or(1);
    acceptance_sum += tested(*g) * p.acceptance_rate.value_or(0);
    tested_sum += tested(*g);
  }
  Prediction pooled;
  if (has_walltime) pooled.walltime_ns = walltime_sum / static_cast<double>(generations.size());
  if (has_pace) pooled.paced_walltime_ns = paced_sum / static_cast<double>(generations.size());
  if (has_speedup) pooled.speedup = plain_sum / walltime_sum;
  pooled.speedup_interval = speedup_interval(generations, run);
  if (has_tokens && round_sum > 0) pooled.tokens_per_round = token_sum / round_sum;
  if (has_acceptance && tested_sum > 0) pooled.acceptance_rate = acceptance_sum / tested_sum;
  return pooled;
}

void add_law_distance(const Generations& generations, GroupSummary& summary) {
  const auto distance = [](const Generation& g) {
    return g.law_distance.value_or(0.0) * tokens(g);
  };
  if (generations[0]->law_distance)
    summary.law_distance = sum_over(generations, distance) / sum_over(generations, tokens);
}

/// Mean cost of a group's tokens, where every generation tells it. @param cost  optional number
std::optional<double> cost_per_token(const Generations& generations, const auto& cost) {
  if (!std::ranges::all_of(generations, [&](const Generation* g) { return cost(*g).has_value(); }))
    return std::nullopt;
  const double n = sum_over(generations, tokens);
  if (n == 0) return std::nullopt;
  return sum_over(generations, [&](const Generation& g) { return static_cast<double>(*cost(g)); }) /
         n;
}

/// Levels of the deepest draft of any round.
double deepest_draft(const Generations& generations) {
  std::int64_t deepest = 0;
  for (const auto* g : generations) deepest = std::max(deepest, g->deepest);
  return static_cast<double>(deepest);
}

void expect_uniform(const Generations& generations) {
  for (const auto* g : generations) {
    const bool same = g->lossless == generations[0]->lossless &&
                      g->forced_acceptance == generations[0]->forced_acceptance;
    if (!same)
      throw DataError("rows.csv: row_id " + std::to_string(g->row_id) +
                      ": lossless or forced_acceptance differs within a cell");
  }
}

enum class Categories : std::uint8_t { pooled, apart };

std::vector<Group> make_groups(const Run& run, Categories categories, const Baseline& baseline,
                               Bootstrap& bootstrap) {
  std::vector<Group> groups;
  std::map<std::pair<Setting, std::string>, std::size_t> index;
  for (const auto& g : run.generations) {
    const std::string category = categories == Categories::pooled ? "all" : g.category;
    const auto [found, is_new] = index.try_emplace({g.axes, category}, groups.size());
    if (is_new)
      groups.push_back({.axes = g.axes, .category = category, .generations = {}, .summary = {}});
    groups[found->second].generations.push_back(&g);
  }
  for (auto& group : groups) group.summary = summarise(group.generations, run, baseline, bootstrap);
  return groups;
}

/// The groups that are compared at one model and setting.
using Candidates = std::vector<const Group*>;

Candidates candidates_beside(const Group& plain, const std::vector<Group>& groups) {
  Candidates candidates;
  for (const Group& group : groups) {
    if (group.axes.plain() == plain.axes && group.summary.prediction.walltime_ns &&
        !group.summary.is_lossy())
      candidates.push_back(&group);
  }
  return candidates;
}

double predicted(const Group* group) { return *group->summary.prediction.walltime_ns; }
double measured(const Group* group) { return group->summary.walltime_ns.value; }

}  // namespace

Baseline::Baseline(const Run& run) {
  for (const auto& g : run.generations) {
    const std::int64_t block =
        run.manifest.repetitions ? g.repetition % *run.manifest.repetitions : g.repetition;
    if (g.axes.is_plain()) plain_[{g.axes.plain(), g.prompt_id, block}].push_back(&g);
  }
}

const Generations& Baseline::partners_of(const Generation& generation) const {
  static const Generations kNone;
  const auto found =
      plain_.find({generation.axes.plain(), generation.prompt_id, generation.repetition});
  return found == plain_.end() ? kNone : found->second;
}

GroupSummary summarise(const Generations& generations, const Run& run, const Baseline& baseline,
                       Bootstrap& bootstrap) {
  SPECLAB_EXPECT(!generations.empty(), "a group without generations");
  expect_uniform(generations);
  GroupSummary summary;
  std::set<std::string> prompts;
  for (const auto* g : generations) prompts.insert(g->prompt_id);
  summary.n_prompts = prompts.size();
  summary.n_rows = generations.size();
  summary.lossless = generations[0]->lossless;
  summary.forced_acceptance = generations[0]->forced_acceptance;
  summary.walltime_ns = ratio_over(generations, walltime, one, bootstrap).value();
  if (const auto estimate = ratio_over(generations, tokens, rounds, bootstrap))
    summary.tokens_per_round = within(*estimate, 1, 1.0 + deepest_draft(generations));
  if (const auto estimate = ratio_over(generations, accepted, tested, bootstrap))
    summary.acceptance_rate = within(*estimate, 0, 1);
  if (const double n = sum_over(generations, drafted); n > 0)
    summary.accepted_fraction = sum_over(generations, accepted) / n;
  if (const double n = sum_over(generations, rounds); n > 0) {
    summary.drafting_fraction =
        sum_over(generations,
                 [](const Generation& g) { return static_cast<double>(g.drafting_rounds); }) /
        n;
  }
  add_law_distance(generations, summary);
  summary.bytes_per_token =
      cost_per_token(generations, [](const Generation& g) { return g.read_bytes(); });
  summary.joules_per_token =
      cost_per_token(generations, [](const Generation& g) { return g.energy_j; });
  add_speedup(generations, baseline, bootstrap, summary);
  add_time_split(generations, bootstrap, summary);
  summary.prediction = pooled_prediction(generations, run);
  return summary;
}

std::vector<Group> pooled_groups(const Run& run, const Baseline& baseline, Bootstrap& bootstrap) {
  return make_groups(run, Categories::pooled, baseline, bootstrap);
}

std::vector<Group> groups_by_category(const Run& run, const Baseline& baseline,
                                      Bootstrap& bootstrap) {
  return make_groups(run, Categories::apart, baseline, bootstrap);
}

std::vector<PilotChoice> pilot_choices(const std::vector<Group>& groups) {
  std::vector<PilotChoice> choices;
  for (const Group& plain : groups) {
    if (!plain.axes.is_plain()) continue;
    const Candidates candidates = candidates_beside(plain, groups);
    if (candidates.size() < 2) continue;
    choices.push_back({.chosen = *std::ranges::min_element(candidates, {}, predicted),
                       .fastest = *std::ranges::min_element(candidates, {}, measured)});
  }
  return choices;
}

}  // namespace speclab::analysis
