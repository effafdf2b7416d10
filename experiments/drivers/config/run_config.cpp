#include "experiments/drivers/config/run_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engines/interface/names.h"
#include "experiments/drivers/config/axes_config.h"
#include "experiments/drivers/config/config_checks.h"
#include "experiments/drivers/config/named_drafters.h"
#include "experiments/drivers/kinds/kinds.h"
#include "experiments/drivers/plan/chat_prompt.h"
#include "experiments/drivers/plan/prompt_set.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "sim/core/policies/constant_policy.h"
#include "sim/core/policies/policy_registry.h"

namespace speclab::experiments {
namespace {

void read_experiment(const ConfigNode& table, RunConfig& config) {
  ConfigReader reader(table, "experiment");
  reader.read("kind", config.kind, experiment_kind_names());
  reader.read("name", config.name);
  reader.read("seed", config.seed);
  reader.read("repetitions", config.repetitions, {.low = 1, .high = 10000});
  if (!is_name(config.name)) reader.refuse("name", fmt::format("{}; it names the run folder", kNameRule));
  reader.finish();
}

void read_target(const ConfigNode& table, RunConfig& config) {
  ConfigReader reader(table, "target");
  reader.read("model", config.models);
  reader.read("device", config.target.device, {"auto", "cpu", "cuda"});
  reader.read("dtype", config.target.dtype, {"auto", "float32", "bfloat16"});
  reader.read("arithmetic", config.target.arithmetic, {"fast", "row_invariant"});
  reader.read("rounds", config.target.rounds, {"host", "device"});
  reader.read("threads", config.target.threads, {.low = 0, .high = 4096});
  reader.read("chat_template", config.chat_template, kChatTemplates);
  if (config.target.rounds == "device" && config.target.device == "cpu") reader.refuse("rounds", "host where target.device is cpu");
  if (config.target.dtype == "float32" && config.target.device == "cuda") reader.refuse("dtype", "auto or bfloat16 where target.device is cuda");
  const auto num_real = std::ranges::count_if(config.models, [](const std::string& model) { return !is_shape_model(model); });
  if (num_real != 1 && static_cast<std::size_t>(num_real) != config.models.size())
    reader.refuse("model", "beside shape models exactly one real model, whose acceptance they replay");
  if (experiment_kind(config.kind).yield == Yield::atlas && static_cast<std::size_t>(num_real) != config.models.size())
    reader.refuse("model", "real models, because a rule atlas logs their laws");
  if (num_real == 0) reader.refuse("model", "at least one real model: shape models replay its acceptance");
  reader.finish();
}

constexpr double kBelowOne = 0.999999;

void read_sampling(const ConfigNode& table, RunConfig& config) {
  ConfigReader reader(table, "sampling");
  engines::SamplingOptions& sampling = config.sampling;
  reader.read("top_k", sampling.top_k, {.low = 0});
  reader.read("top_p", sampling.top_p, {.low = 1e-9, .high = 1});
  reader.read("min_p", sampling.min_p, {.low = 0, .high = 1});
  reader.read("repetition_penalty", sampling.repetition_penalty, {.low = 1e-3, .high = 1e3});
  reader.read("no_repeat_ngram_size", sampling.no_repeat_ngram_size, {.low = 0});
  reader.read("min_length", sampling.min_length, {.low = 0});
  reader.read("suppress_tokens", sampling.suppress_tokens, {.low = 0});
  reader.read("typical_p", sampling.typical_p, {.low = 1e-9, .high = 1});
  reader.read("epsilon_cutoff", sampling.epsilon_cutoff, {.low = 0, .high = kBelowOne});
  reader.read("eta_cutoff", sampling.eta_cutoff, {.low = 0, .high = kBelowOne});
  const bool greedy_only = std::ranges::all_of(config.axes.temperature, [](double temperature) { return temperature == 0; });
  for (const char* key : {"top_k", "top_p", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff"})
    if (greedy_only && reader.has(key)) reader.refuse(key, "nothing, because axes.temperature is 0 everywhere");
  reader.finish();
}

void read_verification(const ConfigNode& table, RunConfig& config) {
  ConfigReader reader(table, "verification");
  LossyRuleOptions& lossy = config.lossy;
  std::string residual = to_string(lossy.lenient_residual);
  reader.read("lenience", lossy.lenience, {.low = 1e-6, .high = kBelowOne});  // 1 is the rule rejection, and its rows would be marked lossy
  reader.read("lenient_residual", residual, {"full", "lenient"});
  reader.read("typical_epsilon", lossy.typical_epsilon, {.low = 0, .high = 1});
  reader.read("typical_delta", lossy.typical_delta, {.low = 0, .high = 1});
  lossy.lenient_residual = residual == "full" ? LenientResidual::full : LenientResidual::lenient;
  const auto refuse_unused = [&](const char* verifier, std::initializer_list<const char*> keys) {
    for (const char* key : keys)
      if (reader.has(key) && !engines::is_among(verifier, config.axes.verifier)) reader.refuse(key, fmt::format("nothing, because axes.verifier has no {}", verifier));
  };
  refuse_unused("lenient", {"lenience", "lenient_residual"});
  refuse_unused("typical", {"typical_epsilon", "typical_delta"});
  reader.finish();
}

void read_prompts(const ConfigNode& table, RunConfig& config) {
  ConfigReader reader(table, "prompts");
  PromptOptions& prompts = config.prompts;
  reader.read("set", prompts.set);
  reader.read("categories", prompts.categories);
  reader.read("per_category", prompts.per_category, {.low = 1, .high = 100000});
  reader.read("new_tokens", prompts.new_tokens, {.low = 2, .high = 100000});
  reader.read("ignore_eos", prompts.ignore_eos);
  reader.read("pool_categories", prompts.pool_categories);
  reader.finish();
}

void read_pilot(const ConfigNode& table, RunConfig& config) {
  ConfigReader reader(table, "pilot");
  reader.read("set", config.pilot.set);
  reader.read("per_category", config.pilot.per_category, {.low = 1, .high = 100000});
  reader.read("max_length", config.pilot.max_length, {.low = 1, .high = 256});
  reader.finish();
}

void read_costs(const ConfigNode& table, RunConfig& config) {
  ConfigReader reader(table, "costs");
  reader.read("repetitions", config.costs.repetitions, {.low = 1, .high = 10000});
  reader.read("new_tokens", config.costs.new_tokens, {.low = 16, .high = 100000});
  reader.read("rows", config.costs.rows, {.low = 1, .high = 512});
  reader.finish();
}

/// Whichever of the two sets the config names is blamed.
void check_sets_differ(ConfigReader& root, const RunConfig& config) {
  if (prompt_folder(config.pilot.set) != prompt_folder(config.prompts.set)) return;
  for (const auto& [name, other] : {std::pair("pilot", "prompts"), std::pair("prompts", "pilot")})
    if (const ConfigNode* table = root.table(name))
      if (const ConfigReader reader(*table, name); reader.has("set"))
        reader.refuse("set", fmt::format("another folder than {}.set: pilots are never measured", other));
}

/// The tables in the order in which they may look at each other.
const std::vector<std::pair<const char*, void (*)(const ConfigNode&, RunConfig&)>> kTables{
    {"experiment", read_experiment}, {"target", read_target},   {"drafters", read_drafters}, {"axes", read_axes},
    {"verification", read_verification}, {"sampling", read_sampling}, {"prompts", read_prompts}, {"pilot", read_pilot},       {"costs", read_costs}};

}  // namespace

RunConfig read_run_config(const std::string& path, const std::vector<std::string>& settings) {
  ConfigNode root = read_config(path);
  for (const std::string& setting : settings) set_config_value(root, setting);
  RunConfig config;
  config.question = opening_comment(read_file(path));
  ConfigReader reader(root);
  const ConfigNode* provenance = reader.table("provenance");
  for (const auto& [name, read] : kTables)
    if (const ConfigNode* table = reader.table(name)) read(*table, config);
  check_sets_differ(reader, config);
  if (provenance) ConfigReader(*provenance, "provenance").read("question", config.question);
  reader.finish();
  return config;
}

bool is_shape_model(const std::string& model) { return model.starts_with(engines::kShapeModelPrefix); }

}  // namespace speclab::experiments
