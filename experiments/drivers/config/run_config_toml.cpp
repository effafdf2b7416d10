#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/config/toml_text.h"

namespace speclab::experiments {
namespace {

void add_experiment(const RunConfig& config, TomlText& toml) {
  toml.table("experiment");
  toml.add("kind", config.kind);
  toml.add("name", config.name);
  toml.add("seed", config.seed);
  toml.add("repetitions", config.repetitions);
  toml.table("target");
  toml.add("model", config.models);
  toml.add("device", config.target.device);
  toml.add("dtype", config.target.dtype);
  toml.add("arithmetic", config.target.arithmetic);
  toml.add("rounds", config.target.rounds);
  toml.add("threads", config.target.threads);
  toml.add("chat_template", config.chat_template);
}

void add_drafter(const NamedDrafter& drafter, TomlText& toml) {
  const bool dotted = drafter.name.find('.') != std::string::npos;
  toml.table(dotted ? "drafters.\"" + drafter.name + "\"" : "drafters." + drafter.name);
  toml.add("kind", drafter.options.kind);
  if (!drafter.options.model.empty()) toml.add("model", drafter.options.model);
  if (drafter.has_tree) toml.add("tree", drafter.options.tree);
  if (!engines::is_among(drafter.options.kind, engines::kLookupDrafterKinds)) return;
  toml.add("max_ngram", drafter.options.max_ngram);
  toml.add("min_ngram", drafter.options.least_ngram());
  if (drafter.options.kind == "lookup_ngram") toml.add("lookup_weight", drafter.options.lookup_weight);
}

void add_axes(const RunConfig& config, TomlText& toml) {
  toml.table("axes");
  toml.add("temperature", config.axes.temperature);
  toml.add("drafter", config.axes.drafter);
  toml.add("tree", config.axes.tree);
  toml.add("policy", config.axes.policy);
  toml.add("verifier", config.axes.verifier);
}

/// Settings of verifiers that are not there would be refused.
void add_verification(const RunConfig& config, TomlText& toml) {
  toml.table("verification");
  for (const std::string& verifier : config.axes.verifier) {
    if (verifier == "lenient") {
      toml.add("lenience", config.lossy.lenience);
      toml.add("lenient_residual", std::string(to_string(config.lossy.lenient_residual)));
    } else if (verifier == "typical") {
      toml.add("typical_epsilon", config.lossy.typical_epsilon);
      toml.add("typical_delta", config.lossy.typical_delta);
    }
  }
}

/// Only what is on: a restriction of greedy decoding would be refused.
void add_sampling(const engines::SamplingOptions& sampling, TomlText& toml) {
  toml.table("sampling");
  engines::visit_sampling_that_is_on(sampling, [&](const char* name, const auto& value) { toml.add(name, value); });
}

void add_prompts(const RunConfig& config, TomlText& toml) {
  toml.table("prompts");
  toml.add("set", config.prompts.set);
  if (!config.prompts.categories.empty()) toml.add("categories", config.prompts.categories);
  toml.add("per_category", config.prompts.per_category);
  toml.add("new_tokens", config.prompts.new_tokens);
  toml.add("ignore_eos", config.prompts.ignore_eos);
  toml.add("pool_categories", config.prompts.pool_categories);
  toml.table("pilot");
  toml.add("set", config.pilot.set);
  toml.add("per_category", config.pilot.per_category);
  toml.add("max_length", config.pilot.max_length);
  toml.table("costs");
  toml.add("repetitions", config.costs.repetitions);
  toml.add("new_tokens", config.costs.new_tokens);
  toml.add("rows", config.costs.rows);
}

}  // namespace

std::string to_toml(const RunConfig& config) {
  TomlText toml;
  add_experiment(config, toml);
  for (const NamedDrafter& drafter : config.drafters) add_drafter(drafter, toml);
  add_axes(config, toml);
  add_verification(config, toml);
  add_sampling(config.sampling, toml);
  add_prompts(config, toml);
  return toml.content();
}

}  // namespace speclab::experiments
