#include "experiments/drivers/run/cost_measurement.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <tuple>

#include "analysis/stats/median.h"
#include "experiments/drivers/plan/measuring_order.h"
#include "experiments/drivers/run/workbench.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

constexpr int kForwardPasses = 6;                      ///< timings of a bare forward in one repetition
constexpr std::uint32_t kCostSequences = 1u << 25;     ///< sequence ids from here on are these generations'
constexpr std::uint32_t kOrderStream = 1u << 30;       ///< shuffles that no prompt's share

/// Goes round these lengths, so that every length meets every state of the machine.
class RoundaboutPolicy final : public SpeculationLengthPolicy {
 public:
  explicit RoundaboutPolicy(std::vector<int> lengths) : lengths_(std::move(lengths)) {}
  int next_length() override { return lengths_[turn_++ % lengths_.size()]; }
  void observe(const RoundRecord&) override {}
  std::unique_ptr<SpeculationLengthPolicy> fresh() const override { return std::make_unique<RoundaboutPolicy>(lengths_); }
  std::string name() const override { return "roundabout"; }

 private:
  std::vector<int> lengths_;
  std::size_t turn_ = 0;
};

/// 1 first, 0 last, the greatest always.
std::vector<int> lengths_up_to(int greatest) {
  std::vector<int> lengths;
  for (const int length : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64})
    if (length < greatest) lengths.push_back(length);
  if (greatest > 0) lengths.push_back(greatest);
  lengths.push_back(0);
  return lengths;
}

using CostKey = std::tuple<std::string, std::string, std::string, std::string, sim::CostKind, int, int>;  // as in CostEntry

/// Timings by point.
class Samples {
 public:
  void add(const CostEntry& point, double ns) {
    const CostKey key{point.model, point.drafter, point.tree, point.regime ? to_string(*point.regime) : "", point.kind, point.rows, point.context};
    auto& [entry, values] = samples_[key];
    entry = point;
    values.push_back(ns);
  }
  std::vector<CostEntry> medians() const {
    std::vector<CostEntry> entries;
    for (const auto& [key, sample] : samples_) {
      entries.push_back(sample.first);
      entries.back().ns = analysis::median(sample.second);
    }
    return entries;
  }

 private:
  std::map<CostKey, std::pair<CostEntry, std::vector<double>>> samples_;
};

/// A chain of `rows` rows on top of what the cache holds.
std::vector<engines::ForwardRow> chain_rows(int rows, int context, std::int32_t slot, std::span<const Token> tokens) {
  std::vector<engines::ForwardRow> chain;
  for (int i = 0; i < rows; ++i) chain.push_back({tokens[static_cast<std::size_t>(i) % tokens.size()], context + i, slot, i - 1});
  return chain;
}

/// Times bare forwards of one model on top of one context.
class ForwardTimer {
 public:
  ForwardTimer(engines::LanguageModel& model, int context, int max_rows, std::vector<Token> tokens)
      : model_(model), tokens_(std::move(tokens)), cache_(model.make_cache(1, context + max_rows)), slot_(cache_->begin()) {
    while (cache_->length(slot_) < context) commit(std::min(256, context - cache_->length(slot_)));
  }

  double forward_ns(int rows) {
    const auto chain = chain_rows(rows, cache_->length(slot_), slot_, tokens_);
    const auto begin = std::chrono::steady_clock::now();
    model_.forward(chain, *cache_);
    return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
  }

 private:
  void commit(int rows) {
    auto chain = chain_rows(rows, cache_->length(slot_), slot_, tokens_);
    std::vector<std::int32_t> path;
    for (int i = 0; i < rows; ++i) path.push_back(i);
    for (engines::ForwardRow& row : chain) row.wants_logits = false;
    model_.forward(chain, *cache_);
    cache_->commit(slot_, path);
  }

  engines::LanguageModel& model_;
  std::vector<Token> tokens_;
  std::unique_ptr<engines::KvCache> cache_;
  std::int32_t slot_;
};

/// Collects tasks, each of which times something once; then runs them in random order, again and again.
class CostMeasurement {
 public:
  explicit CostMeasurement(Workbench& bench) : bench_(bench), plan_(bench.plan()) {
    for (const std::string& model : plan_.config.models) {
      add_forwards(model);
      for (const Regime regime : regimes())
        for (const Drafting& drafting : plan_.draftings)
          for (const std::vector<Token>& prompt : prompts()) add_generation(model, drafting, regime, prompt);
    }
  }

  std::vector<CostEntry> run() {
    const std::int32_t repetitions = plan_.config.costs.repetitions;
    bench_.progress().begin_phase("cost surface", static_cast<double>(tasks_.size()) * repetitions);
    for (std::int32_t repetition = 0; repetition < repetitions; ++repetition)
      for (const std::size_t task : shuffled(tasks_.size(), plan_.config.seed, kOrderStream, static_cast<std::uint32_t>(repetition))) {
        bench_.check_interruption();
        tasks_[task](repetition);
        bench_.progress().advance(1);
      }
    bench_.progress().end_phase();
    return samples_.medians();
  }

 private:
  std::vector<Regime> regimes() const {
    std::set<Regime> regimes;
    for (const double temperature : plan_.config.axes.temperature) regimes.insert(regime_of(temperature));
    return {regimes.begin(), regimes.end()};
  }

  std::pair<std::size_t, std::size_t> prompt_lengths() const {
    const auto by_size = [](const auto& ids) { return ids.size(); };
    const auto& ids = bench_.loaded().prompt_ids;
    return {std::ranges::min_element(ids, {}, by_size)->size(), std::ranges::max_element(ids, {}, by_size)->size()};
  }

  /// The shortest and the longest pilot, brought to the lengths of the shortest and the longest measured prompt.
  std::vector<std::vector<Token>> prompts() const {
    const auto by_size = [](const auto& ids) { return ids.size(); };
    const auto& pilots = bench_.loaded().pilot_ids;
    const auto [shortest, longest] = prompt_lengths();
    std::vector<std::vector<Token>> prompts{*std::ranges::min_element(pilots, {}, by_size)};
    if (longest > shortest) prompts.push_back(*std::ranges::max_element(pilots, {}, by_size));
    for (std::size_t which = 0; which < prompts.size(); ++which) {
      const std::size_t pilot_size = prompts[which].size(), wanted = which == 0 ? shortest : longest;
      for (std::size_t i = pilot_size; i < wanted; ++i) prompts[which].push_back(prompts[which][i % pilot_size]);
      prompts[which].resize(wanted);
    }
    return prompts;
  }

  void add_forwards(const std::string& model) {
    std::set<int> rows(plan_.config.costs.rows.begin(), plan_.config.costs.rows.end());
    for (const Drafting& drafting : plan_.draftings)
      for (const int needed : drafting.rows_of_depth(plan_.max_length())) rows.insert(needed);
    const auto [shortest, longest] = prompt_lengths();
    const int first = static_cast<int>(shortest) - 1, last = static_cast<int>(longest) + plan_.config.prompts.new_tokens;
    for (const int context : std::set<int>{first, (first + last) / 2, last}) {
      const auto timer = std::make_shared<ForwardTimer>(bench_.model(model), context, *rows.rbegin(), prompts().back());
      for (int pass = 0; pass < kForwardPasses; ++pass)
        tasks_.push_back([=, this](std::int32_t) { time_forwards(*timer, rows, {.model = model, .drafter = "", .tree = "", .context = context}); });
    }
  }

  void time_forwards(ForwardTimer& timer, const std::set<int>& rows, CostEntry point) {
    for (const int n : rows) {
      point.rows = n;
      samples_.add(point, timer.forward_ns(n));
    }
  }

  void add_generation(const std::string& model, const Drafting& drafting, Regime regime, const std::vector<Token>& prompt) {
    const double temperature = regime == Regime::greedy ? 0.0 : 1.0;
    tasks_.push_back([=, this](std::int32_t repetition) {
      DecoderSettings settings = bench_.settings(model, drafting, real_temperature(regime, temperature), is_shape_model(model) ? "replay" : "rejection", plan_.pilot_prompts.front().category);
      settings.temperature = temperature;
      settings.new_tokens = std::min(plan_.config.costs.new_tokens, plan_.config.prompts.new_tokens);
      const RoundaboutPolicy policy(lengths_up_to(drafting.max_length(plan_.max_length())));
      const engines::Request request{kCostSequences + static_cast<std::uint32_t>(repetition), prompt};
      add_samples({.model = model, .drafter = drafting.is_plain() ? "" : drafting.drafter, .tree = drafting.tree, .regime = regime}, prompt.size(),
                  bench_.generate(settings, request, policy));
    });
  }

  /// A temperature of the plan in this regime: its pilots are there.
  double real_temperature(Regime regime, double otherwise) const {
    for (const double temperature : plan_.config.axes.temperature)
      if (regime_of(temperature) == regime) return temperature;
    return otherwise;
  }

  void add_samples(CostEntry point, std::size_t prompt_tokens, const GenerationRecord& record) {
    const auto tokens = static_cast<int>(prompt_tokens);
    CostEntry prefill{.model = point.model, .drafter = "", .tree = "", .regime = {}, .kind = sim::CostKind::prefill, .rows = tokens, .context = 0};
    samples_.add(prefill, static_cast<double>(record.prefill_ns));
    point.context = tokens + static_cast<int>(record.output_ids.size()) / 2;
    for (const RoundRecord& round : record.rounds) {
      if (round.round == 0) continue;
      add(point, sim::CostKind::overhead, round.rows, round.verify_ns + round.other_ns);
      if (round.depth > 0) add(point, sim::CostKind::draft, round.depth, round.draft_ns);
    }
    if (!point.drafter.empty()) add_first_draft(point, tokens, record);
  }

  /// What the first draft costs more than a later one of as many levels: the drafter reads the prompt in it. Where nothing
  /// was ever proposed the search alone is the cost of a draft.
  void add_first_draft(CostEntry point, int prompt_tokens, const GenerationRecord& record) {
    const bool proposed = std::ranges::any_of(record.rounds, [](const RoundRecord& round) { return round.round > 0 && round.depth > 0; });
    if (!proposed) add(point, sim::CostKind::draft, 1, record.rounds.front().draft_ns);
    std::vector<double> later;
    for (const RoundRecord& round : record.rounds)
      if (round.round > 0 && round.depth == record.rounds.front().depth) later.push_back(static_cast<double>(round.draft_ns));
    if (later.empty()) return;
    point.context = 0;
    const double extra = static_cast<double>(record.rounds.front().draft_ns) - analysis::median(later).value;
    add(point, sim::CostKind::prefill, prompt_tokens, static_cast<std::int64_t>(std::max(0.0, extra)));
  }

  void add(CostEntry point, sim::CostKind kind, int rows, std::int64_t ns) {
    point.kind = kind;
    point.rows = rows;
    samples_.add(point, static_cast<double>(ns));
  }

  Workbench& bench_;
  const Plan& plan_;
  std::vector<std::function<void(std::int32_t)>> tasks_;
  Samples samples_;
};

sim::CostPoint to_point(const CostEntry& entry) {
  const double ns = entry.ns.value;
  return {.kind = entry.kind, .rows = entry.rows, .context = entry.context, .ns = ns, .ns_low = entry.ns.interval ? entry.ns.interval->low : ns,
          .ns_high = entry.ns.interval ? entry.ns.interval->high : ns, .n = static_cast<int>(entry.ns.n)};
}

/// The points of one kind, continued as constants to 1 and kFar rows, and to contexts 0 and kFar.
std::vector<sim::CostPoint> held_constant_outside(const std::vector<sim::CostPoint>& points) {
  constexpr int kFar = 1 << 20;
  std::map<std::pair<int, int>, sim::CostPoint> held;  // by context and rows
  for (const sim::CostPoint& point : points) held.insert_or_assign({point.context, point.rows}, point);
  std::set<int> contexts;
  for (const sim::CostPoint& point : points) contexts.insert(point.context);
  const auto copy = [&](sim::CostPoint point, int context, int rows) {
    point.context = context;
    point.rows = rows;
    held.try_emplace({context, rows}, point);
  };
  for (const int context : contexts) {
    const auto first = held.lower_bound({context, 0})->second;
    const auto last = std::prev(held.lower_bound({context + 1, 0}))->second;
    copy(first, context, 1);
    copy(last, context, kFar);
  }
  const auto inside = held;
  for (const auto& [place, point] : inside) {
    if (place.first == *contexts.begin()) copy(point, 0, point.rows);
    if (place.first == *contexts.rbegin()) copy(point, kFar, point.rows);
  }
  std::vector<sim::CostPoint> all;
  for (const auto& [place, point] : held) all.push_back(point);
  return all;
}

}  // namespace

Regime regime_of(double temperature) { return temperature == 0 ? Regime::greedy : Regime::sampled; }

void measure_costs(Workbench& bench) {
  if (!bench.log().costs().empty()) return;
  bench.log().add(CostMeasurement(bench).run());
}

PairCosts pair_costs(const RunLog& log, const std::string& model, const Drafting& drafting, Regime regime) {
  std::vector<sim::CostPoint> points, drafts, overheads, drafter_prefills;
  for (const CostEntry& entry : log.costs()) {
    if (entry.model != model) continue;
    if (!entry.regime) points.push_back(to_point(entry));
    if (entry.regime != regime || entry.drafter != (drafting.is_plain() ? "" : drafting.drafter) || entry.tree != drafting.tree) continue;
    auto& kind = entry.kind == sim::CostKind::draft ? drafts : entry.kind == sim::CostKind::overhead ? overheads : drafter_prefills;
    kind.push_back(to_point(entry));
  }
  if (points.empty() || overheads.empty()) throw DataError("the journal holds no costs of " + model + " with " + drafting.drafter + "; begin again in another folder");
  for (const auto* kind : {&drafts, &overheads})
    if (!kind->empty()) std::ranges::copy(held_constant_outside(*kind), std::back_inserter(points));
  if (!drafter_prefills.empty()) drafter_prefills = held_constant_outside(drafter_prefills);
  std::erase_if(drafter_prefills, [](const sim::CostPoint& point) { return point.context != 0; });
  return {std::make_shared<sim::CostSurface>(std::move(points)), sim::CostSurface(std::move(drafter_prefills))};
}

}  // namespace speclab::experiments
