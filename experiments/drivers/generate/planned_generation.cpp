#include "experiments/drivers/generate/planned_generation.h"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/drivers/generate/call_checks.h"
#include "experiments/drivers/generate/explanation.h"
#include "experiments/drivers/generation/generation_config.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

bool speaks_of_generation(const GenerationOptions& options, const GenerationSources& sources) {
  return options.config_file || options.save_file || options.explain || options.has_key_option ||
         (sources.folder && changes_texts(*sources.folder));
}

void print_explanation(const GenerateOptions& options, const ReadGeneration& read,
                       const ExplainedCall& call) {
  if (!options.common.json) return fmt::print("{}", explanation_text(read.config, read.mode, call));
  KeyValue json = explanation_json(read.config, read.mode);
  json.update(explained_call_json(call));
  fmt::print("{}\n", json.dump(-1, ' ', false, KeyValue::error_handler_t::replace));
}

void print_notes(const ReadGeneration& read) {
  for (const auto* notes : {&read.config.notes(), &read.mode.notes})
    for (const std::string& note : *notes) fmt::print(stderr, "speclab: {}\n", note);
}

/// --explain opens no model, so it would not notice a folder that is not there.
void check_folder(const std::string& model) {
  std::error_code none;
  if (model.find('/') != std::string::npos && !std::filesystem::exists(model, none))
    throw ConfigError(
        fmt::format("--model {}: nothing is there; allowed: a folder, a file, or a "
                    "name of speclab models",
                    escaped(model, 200)));
}

GenerationPlan plan_of(const GenerateOptions& options, const ReadGeneration& read) {
  return generation_plan(read.config, read.mode, options.generation,
                         {options.decoder, options.policy, options.common.seed});
}

ExplainedCall explained_call(const GenerateOptions& options, const ReadGeneration& read) {
  try {
    ExplainedCall call{.plan = plan_of(options, read)};
    check_call(options, &*call.plan);
    return call;
  } catch (const ConfigError& error) {
    return {.refusal = error.what()};
  }
}

}  // namespace

std::optional<ReadGeneration> read_generation(const GenerateOptions& options) {
  if (options.generation.explain) check_folder(options.common.model.model);
  const GenerationSources sources =
      read_generation_sources(options.generation, options.common.model.model);
  if (!speaks_of_generation(options.generation, sources)) return std::nullopt;
  GenerationConfig config(sources);
  const Assistant assistant = assistant_of(config, options.generation, options.decoder.drafter);
  GenerationMode mode = generation_mode(config, assistant);
  return ReadGeneration{std::move(config), std::move(mode)};
}

std::optional<GenerationPlan> planned_generation(const GenerateOptions& options,
                                                 const ReadGeneration& read) {
  std::optional<GenerationPlan> plan;
  if (!options.generation.explain) {
    plan = plan_of(options, read);
    check_call(options, &*plan);
  }
  if (options.generation.save_file)
    save_generation_config(read.config, *options.generation.save_file);
  if (options.generation.explain)
    print_explanation(options, read, explained_call(options, read));
  else
    print_notes(read);
  return plan;
}

nlohmann::ordered_json generation_json(const ReadGeneration& read) {
  return explanation_json(read.config, read.mode);
}

GenerateOptions with_plan(const GenerateOptions& options, GenerationPlan& plan,
                          std::size_t prompt_length) {
  set_prompt_length(plan, prompt_length);
  GenerateOptions planned = options;
  planned.decoder = plan.decoding;
  planned.policy = plan.policy;
  return planned;
}

}  // namespace speclab::experiments
