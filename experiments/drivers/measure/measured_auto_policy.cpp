#include "experiments/drivers/measure/measured_auto_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/cost_measurement.h"
#include "experiments/drivers/measure/pilots.h"
#include "experiments/drivers/measure/workbench.h"
#include "sim/policies/auto_policy.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Stands for the target in the plan: acceptance is never replayed here, whatever the model's real
/// name.
constexpr const char* kTarget = "target";
/// Tokens after the prompt up to which contexts are measured; beyond, the surface continues its
/// last segment.
constexpr std::int32_t kFewestNewTokens = 16, kMostNewTokens = 128;

/// The smallest plan from which costs can be measured: one model, one drafter, one prompt.
Plan cost_plan(const engines::DecoderOptions& decoder, std::uint64_t seed) {
  RunConfig config;
  config.axes.model = config.model_files = {kTarget};
  config.seed = seed;
  config.sampling = decoder.sampling;
  config.sampling.rules = {};  // they know the length of the call's prompt, and cost little
  config.lossy = decoder.lossy;
  config.axes.temperature = {decoder.sampling.temperature};
  config.costs.repetitions = 1;
  config.costs.rows = {1};
  config.prompts.new_tokens =
      std::clamp(decoder.stop.max_new_tokens, kFewestNewTokens, kMostNewTokens);
  Plan plan{.config = config};
  plan.pilot_prompts = {{.id = "prompt", .category = "all", .text = ""}};
  const Setting setting{.model = kTarget,
                        .drafter = decoder.drafter.kind,
                        .tree = decoder.drafter.tree,
                        .policy = "auto",
                        .verifier = decoder.verifier,
                        .temperature = decoder.sampling.temperature};
  plan.drafters = {{.name = setting.drafter, .options = decoder.drafter}};
  plan.draftings = {setting.drafting()};
  plan.cells = {{.id = "", .category = "all", .setting = setting}};
  plan.loaded_models = {
      {.model = setting.model, .weights = setting.weights, .activations = setting.activations}};
  return plan;
}

/// As much of the prompt as leaves room in the model's context for what is timed after it.
std::vector<Token> measurable_prompt(const Plan& plan, const AutoPolicyRequest& request) {
  const int spare = plan.config.prompts.new_tokens +
                    rows_of_depth(plan.draftings.front(), plan.max_length()).back();
  const int room = request.target.model->info().context_length - spare;
  if (room < 1)
    throw ConfigError(fmt::format(
        "policy = \"auto\": measuring its costs needs a context of {} tokens; {} has {}; allowed "
        "here: constant:N, heuristic",
        spare + 1, request.target.model->info().name, request.target.model->info().context_length));
  const std::size_t size = std::min(request.prompt_ids.size(), static_cast<std::size_t>(room));
  return {request.prompt_ids.begin(),
          request.prompt_ids.begin() + static_cast<std::ptrdiff_t>(size)};
}

/// Lends the model to a plan for as long as this lives.
class Loan {
 public:
  Loan(LoadedPlan& plan, engines::LoadedModel& model) : plan_(plan), model_(model) {
    plan_.models.emplace(kTarget, std::move(model_));
  }
  ~Loan() { model_ = std::move(plan_.models.at(kTarget)); }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

 private:
  LoadedPlan& plan_;
  engines::LoadedModel& model_;
};

RunLog measured_costs(const Plan& plan, const AutoPolicyRequest& request,
                      const AutoPolicyCallbacks& callbacks) {
  const std::vector<Token> prompt = measurable_prompt(plan, request);
  LoadedPlan loaded{.plan = plan,
                    .engines = request.engines,
                    .models = {},
                    .texts = {{kTarget, {.prompts = {prompt}, .pilots = {prompt}}}}};
  const Loan loan(loaded, request.target);
  RunLog log;
  Workbench bench(loaded, log, callbacks.progress,
                  {.check_interruption = callbacks.check_interruption});
  measure_costs(bench);
  return log;
}

double milliseconds(double ns) { return ns * 1e-6; }

std::string summary(const sim::AutoPolicyOptions& options, double seconds) {
  const sim::CostSurface& costs = *options.costs;
  const int context = options.initial_context, rows = options.rows_of_depth.back(),
            levels = options.max_length;
  return fmt::format(
      "policy auto: costs measured in {:.1f} s; after {} tokens a target forward takes {:.2f} ms "
      "for 1 row, {:.2f} ms for {}; a draft {:.3f} ms "
      "for 1 level, {:.3f} ms for {}; the rest of a round {:.3f} ms",
      seconds, context, milliseconds(costs.t_target_ns(1, context)),
      milliseconds(costs.t_target_ns(rows, context)), rows,
      milliseconds(costs.t_draft_ns(1, context)), milliseconds(costs.t_draft_ns(levels, context)),
      levels, milliseconds(costs.overhead_ns(1, context)));
}

}  // namespace

std::unique_ptr<SpeculationLengthPolicy> measured_auto_policy(
    const AutoPolicyRequest& request, const AutoPolicyCallbacks& callbacks) {
  if (!request.decoder.drafter.traits().drafts()) return std::make_unique<ConstantPolicy>(0);
  const auto begin = std::chrono::steady_clock::now();
  const Plan plan = cost_plan(request.decoder, request.decoder.seed);
  const RunLog log = measured_costs(plan, request, callbacks);
  const Setting& setting = plan.cells.front().setting;
  sim::AutoPolicyOptions options{.costs = analysis::pair_costs(log.costs(), setting).surface};
  options.max_length = max_length(setting, plan.max_length());
  options.rows_of_depth = rows_of_depth(setting, plan.max_length());
  options.initial_context = static_cast<int>(request.prompt_ids.size());
  callbacks.progress.note(summary(
      options, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()));
  return std::make_unique<sim::AutoPolicy>(std::move(options));
}

}  // namespace speclab::experiments
