#include "experiments/drivers/measure/cost_measurement.h"

#include <algorithm>
#include <functional>
#include <set>

#include "analysis/stats/intervals.h"
#include "experiments/drivers/config/generation_axis.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/cost_samples.h"
#include "experiments/drivers/measure/forward_costs.h"
#include "experiments/drivers/measure/pilots.h"
#include "experiments/drivers/measure/workbench.h"
#include "experiments/drivers/plan/plan_parts.h"

namespace speclab::experiments {
namespace {

constexpr int kForwardTimings = 4;  ///< timings of a bare forward in one pass
constexpr std::uint32_t kCostSequences =
    1u << 25;  ///< sequence ids from here on are these generations'
constexpr std::uint32_t kOrderStream = 1u << 29;  ///< shuffles that no prompt's share

/// Goes round these lengths, so that every length meets every state of the machine.
class RoundaboutPolicy final : public SpeculationLengthPolicy {
 public:
  explicit RoundaboutPolicy(std::vector<int> lengths) : lengths_(std::move(lengths)) {}
  int next_length() override { return lengths_[turn_++ % lengths_.size()]; }
  void observe(const RoundRecord&) override {}
  std::unique_ptr<SpeculationLengthPolicy> fresh() const override {
    return std::make_unique<RoundaboutPolicy>(lengths_);
  }
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

auto shortest_and_longest(const std::vector<std::vector<Token>>& prompts) {
  return std::ranges::minmax_element(prompts, {}, [](const auto& ids) { return ids.size(); });
}

}  // namespace

class CostMeasurement::Tasks {
 public:
  explicit Tasks(Workbench& bench) : bench_(bench), plan_(bench.plan()) {
    for (const Setting& loaded : plan_.loaded_models) {
      if (!plan_.config.has_device_rounds()) add_forwards(loaded);
      for (const Regime regime : regimes())
        for (const Setting& drafting : draftings_of(loaded, regime))
          for (const std::vector<Token>& prompt : prompts(loaded.model))
            for (const std::string& policy : policies_of(drafting))
              add_generation(drafting, policy, regime, prompt);
    }
  }

  std::size_t size() const { return tasks_.size(); }
  void time(std::size_t task, int pass) {
    pass_ = pass;
    tasks_[task]();
  }
  std::vector<CostEntry> entries() const { return samples_.entries(); }

 private:
  std::vector<Regime> regimes() const {
    std::set<Regime> regimes;
    for (const double temperature : plan_.config.axes.temperature)
      regimes.insert(regime_of(temperature));
    return {regimes.begin(), regimes.end()};
  }

  /// The shortest and the longest pilot, brought to the lengths of the shortest and the longest
  /// measured prompt.
  std::vector<std::vector<Token>> prompts(const std::string& model) const {
    const auto [short_pilot, long_pilot] =
        shortest_and_longest(bench_.loaded().texts_of(model).pilots);
    const auto [shortest, longest] = prompt_lengths(bench_.loaded(), model);
    std::vector<std::vector<Token>> prompts{*short_pilot};
    if (longest > shortest) prompts.push_back(*long_pilot);
    for (std::size_t which = 0; which < prompts.size(); ++which) {
      const std::size_t pilot_size = prompts[which].size(),
                        wanted = static_cast<std::size_t>(which == 0 ? shortest : longest);
      for (std::size_t i = pilot_size; i < wanted; ++i)
        prompts[which].push_back(prompts[which][i % pilot_size]);
      prompts[which].resize(wanted);
    }
    return prompts;
  }

  /// A generation may not be allowed in the other regime.
  std::vector<Setting> draftings_of(const Setting& loaded, Regime regime) const {
    std::vector<Setting> settings = plan_.draftings_of(loaded);
    std::erase_if(settings, [&](const Setting& setting) {
      return !setting.generation.empty() &&
             std::ranges::none_of(plan_.cells, [&](const Cell& cell) {
               return cell.setting.generation == setting.generation &&
                      cell.setting.regime() == regime;
             });
    });
    return settings;
  }

  /// Those of the cells where it is a search, which has one length; else one that goes round.
  std::set<std::string> policies_of(const Setting& setting) const {
    if (!is_searched(plan_.config, setting) || setting.is_plain()) return {""};
    std::set<std::string> policies;
    for (const Cell& cell : plan_.cells)
      if (analysis::setting_of_costs(cell.setting) == analysis::setting_of_costs(setting))
        policies.insert(cell.setting.policy);
    return policies;
  }

  void add_forwards(const Setting& loaded) {
    const auto forwards = std::make_shared<ForwardCosts>(bench_, loaded);
    for (std::size_t which = 0; which < forwards->num_contexts(); ++which)
      for (int i = 0; i < kForwardTimings; ++i)
        tasks_.push_back([=, this] {
          for (const auto& [rows, ns] : forwards->time_once(which))
            samples_.add({.setting = analysis::setting_of_forwards(loaded),
                          .rows = rows,
                          .context = forwards->context(which)},
                         pass_, ns);
        });
  }

  void add_generation(Setting setting, const std::string& policy, Regime regime,
                      const std::vector<Token>& prompt) {
    setting.policy = policy;
    const double temperature = regime == Regime::greedy ? 0.0 : 1.0;
    setting.temperature = real_temperature(regime, temperature);
    tasks_.push_back([=, this] {
      DecoderSettings settings = bench_.settings(setting, plan_.pilot_prompts.front().category);
      settings.setting.temperature = setting.generation.empty() ? temperature : setting.temperature;
      settings.new_tokens =
          std::min(plan_.config.costs.new_tokens, plan_.config.prompts.new_tokens);
      const RoundaboutPolicy lengths(lengths_up_to(max_length(setting, plan_.max_length())));
      const std::vector<engines::Request> requests(
          static_cast<std::size_t>(setting.batch),
          {kCostSequences + static_cast<std::uint32_t>(pass_), prompt});
      add_samples({.setting = analysis::setting_of_costs(setting), .regime = regime}, prompt.size(),
                  bench_.generate(settings, requests, lengths).front());
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
    const Setting forwards = analysis::setting_of_forwards(point.setting);
    CostEntry prefill{
        .setting = forwards, .kind = sim::CostKind::prefill, .rows = tokens, .context = 0};
    samples_.add(prefill, pass_, static_cast<double>(record.prefill_ns));
    point.context = tokens + static_cast<int>(record.output_ids.size()) / 2;
    for (const RoundRecord& round : record.rounds) {
      if (round.round == 0) continue;
      add(point, sim::CostKind::overhead, round.rows, round.verify_ns + round.other_ns);
      if (plan_.config.has_device_rounds())
        samples_.add({.setting = forwards, .rows = round.rows, .context = point.context}, pass_,
                     static_cast<double>(round.target_ns));
      if (round.depth > 0) add(point, sim::CostKind::draft, round.depth, round.draft_ns);
    }
    if (!point.setting.drafter.empty()) add_first_draft(point, tokens, record);
  }

  /// What the first draft costs more than a later one of as many levels: the drafter reads the
  /// prompt in it. Where nothing was ever proposed the search alone is the cost of a draft.
  void add_first_draft(CostEntry point, int prompt_tokens, const GenerationRecord& record) {
    const bool proposed = std::ranges::any_of(
        record.rounds, [](const RoundRecord& round) { return round.round > 0 && round.depth > 0; });
    if (!proposed) add(point, sim::CostKind::draft, 1, record.rounds.front().draft_ns);
    std::vector<double> later;
    for (const RoundRecord& round : record.rounds)
      if (round.round > 0 && round.depth == record.rounds.front().depth)
        later.push_back(static_cast<double>(round.draft_ns));
    if (later.empty()) return;
    point.context = 0;
    const double extra =
        static_cast<double>(record.rounds.front().draft_ns) - analysis::median(later).value;
    add(point, sim::CostKind::prefill, prompt_tokens,
        static_cast<std::int64_t>(std::max(0.0, extra)));
  }

  void add(CostEntry point, sim::CostKind kind, int rows, std::int64_t ns) {
    point.kind = kind;
    point.rows = rows;
    samples_.add(point, pass_, static_cast<double>(ns));
  }

  Workbench& bench_;
  const Plan& plan_;
  std::vector<std::function<void()>> tasks_;  ///< each times something once
  CostSamples samples_;
  int pass_ = 0;
};

CostMeasurement::CostMeasurement(Workbench& bench)
    : bench_(bench), tasks_(std::make_unique<Tasks>(bench)) {}
CostMeasurement::~CostMeasurement() = default;

std::size_t CostMeasurement::num_steps() const {
  return tasks_->size() * static_cast<std::size_t>(bench_.plan().config.costs.repetitions);
}

void CostMeasurement::advance_to(std::size_t step) {
  for (; step_ < step; ++step_) {
    bench_.check_interruption();
    const std::size_t pass = step_ / tasks_->size(), place = step_ % tasks_->size();
    if (place == 0)
      order_ = shuffled(tasks_->size(), bench_.plan().config.seed, kOrderStream,
                        static_cast<std::uint32_t>(pass));
    tasks_->time(order_[place], static_cast<int>(pass));
    bench_.progress().advance(1);
  }
}

std::vector<CostEntry> CostMeasurement::entries() const { return tasks_->entries(); }

void measure_costs(Workbench& bench) {
  if (!bench.log().costs().empty()) return;
  CostMeasurement costs(bench);
  bench.progress().begin_phase("cost surface", static_cast<double>(costs.num_steps()));
  costs.advance_to(costs.num_steps());
  bench.progress().end_phase();
  bench.log().add(costs.entries());
}

void measure_costs_beside_pilots(Workbench& bench) {
  const std::vector<std::size_t> missing = missing_pilots(bench);
  if (!bench.log().costs().empty() || missing.empty()) {
    run_pilots(bench);
    return measure_costs(bench);
  }
  CostMeasurement costs(bench);
  bench.progress().begin_phase("pilots and cost surface",
                               static_cast<double>(missing.size() + costs.num_steps()));
  for (std::size_t i = 0; i < missing.size(); ++i) {
    run_pilot(bench, missing[i]);
    costs.advance_to((i + 1) * costs.num_steps() / missing.size());
  }
  bench.progress().end_phase();
  bench.log().add(costs.entries());
}

}  // namespace speclab::experiments
