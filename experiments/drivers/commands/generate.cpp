#include "experiments/drivers/commands/commands.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiments/drivers/generate/call_checks.h"
#include "experiments/drivers/generate/masking_shift.h"
#include "experiments/drivers/generate/text_work.h"
#include "experiments/drivers/measure/measured_auto_policy.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/program/interruption.h"
#include "experiments/drivers/program/loading_note.h"
#include "experiments/drivers/prompts/prompt.h"
#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::experiments {
namespace {

/// Everything that the prompts of a call share.
struct Session {
  std::unique_ptr<engines::Engines> engines;
  engines::LoadedModel loaded;
  std::unique_ptr<engines::EnergyMeter> energy;  ///< null if the machine does not tell any
  std::vector<GivenPrompt> prompts;
  std::unique_ptr<SpeculationLengthPolicy> measured{};  ///< `auto`, once its costs are known
  Interruption interruption{};

  void check_interruption() const {
    interruption.check(
        "the text is not finished; generate has nothing to resume, so give the command again");
  }
};

/// --explain opens no model, so it would not notice a folder that is not there.
void check_folder(const std::string& model) {
  std::error_code none;
  if (model.find('/') != std::string::npos && !std::filesystem::exists(model, none))
    throw ConfigError(
        fmt::format("--model {}: nothing is there; allowed: a folder, a file, or a "
                    "name of speclab models",
                    escaped(model, 200)));
}

/// Prints why the mode is chosen, and the refusal that a call would meet.
void explain(const GenerateOptions& options, const ReadGeneration& read) {
  ExplainedCall explained;
  try {
    explained.plan = checked_call(options, read).plan;
  } catch (const ConfigError& error) {
    explained.refusal = error.what();
  }
  if (!options.common.json) return fmt::print("{}", explanation_text(read, explained));
  KeyValue json = explanation_json(read);
  json.update(explained_call_json(explained));
  fmt::print("{}\n", json_text(json));
}

/// Loads the model and reads the prompt. Signals are caught only from here on: nothing is begun
/// before.
Session make_session(const GenerateCall& call) {
  const GenerateOptions& options = call.options;
  const engines::StopOptions& stop = call.plan.decoding.stop;
  std::vector<Prompt> list;
  if (options.prompt.list.set) list = read_prompt_list(options.prompt.list);
  auto engines = open_engines();
  engines::LoadedModel loaded = load_with_note(*engines, options.common.model);
  note_int8(loaded.model->info());
  check_stream_of_model(options.stream, loaded);
  if (options.prompt.ids && !stop.stop_strings.empty())
    tokenizer_of(loaded, "stop strings need a model with a tokenizer");
  std::vector<GivenPrompt> prompts = given_prompts(options.prompt, list, loaded);
  check_ends(stop, loaded.model->info());
  auto energy = engines->energy_meter();
  return {std::move(engines), std::move(loaded), std::move(energy), std::move(prompts)};
}

/// One prompt. @return the object that --json prints, without what the call adds to each
nlohmann::ordered_json generate(Session& session, GenerateCall& call, std::uint32_t index) {
  const GivenPrompt& prompt = session.prompts[index];
  set_prompt_length(call.plan, prompt.ids.size());
  const engines::Request request{index, prompt.ids};
  const auto check = [&] { session.check_interruption(); };
  const auto measure_policy = [&](const engines::DecoderOptions& decoding) {
    Progress progress(Progress::style_of_standard_error());
    return measured_auto_policy({*session.engines, session.loaded, decoding, request.prompt_ids},
                                {progress, check});
  };
  const TextWork work{.call = call,
                      .engines = *session.engines,
                      .loaded = session.loaded,
                      .request = request,
                      .prompt_id = prompt.id,
                      .energy = session.energy.get(),
                      .check_interruption = check,
                      .measure_policy = measure_policy,
                      .measured = session.measured};
  return call.plan.needs_search() ? run_search(work) : text_in_rounds(work);
}

/// The names of a prompt of a list stand first.
nlohmann::ordered_json named(const GivenPrompt& prompt, const nlohmann::ordered_json& result) {
  nlohmann::ordered_json object;
  if (!prompt.id.empty()) object = {{"prompt_id", prompt.id}, {"category", prompt.category}};
  object.update(result);
  return object;
}

}  // namespace

int run_generate(const GenerateOptions& options) {
  const GenerationOptions& generation = options.generation;
  const GivenConstraint given = read_constraint(options.constraint);
  if (generation.explain) check_folder(options.common.model.model);
  const auto read = read_generation(generation, options.common.model.model);
  GenerateCall call{options};
  if (!generation.explain) call.plan = checked_call(options, read).plan;
  if (generation.save_file) save_generation_config(read.value().config, *generation.save_file);
  if (generation.explain) return explain(options, *read), 0;
  if (read)
    for (const std::string& note : all_notes(*read)) fmt::print(stderr, "speclab: {}\n", note);
  note_unused_options(call);
  Session session = make_session(call);
  engines::DecoderOptions& decoding = call.plan.decoding;
  if (given.constraint)
    decoding.sampling.rules.mask = mask_of(*given.constraint, session.loaded, decoding.stop);
  if (!session.loaded.tokenizer) use_folder_ends(call.plan);
  for (std::size_t i = 0; i < session.prompts.size(); ++i) {
    const GivenPrompt& prompt = session.prompts[i];
    if (!options.prints_json() && !prompt.id.empty())
      fmt::print("== {} ({})\n", prompt.id, prompt.category);
    nlohmann::ordered_json result = generate(session, call, static_cast<std::uint32_t>(i));
    if (given.constraint) add_constraint(given, *session.loaded.tokenizer, result);
    if (options.constraint.masking_shift)
      add_masking_shift({*session.loaded.model, decoding.sampling, prompt.ids,
                         [&] { session.check_interruption(); }},
                        result);
    nlohmann::ordered_json object = named(prompt, result);
    if (read) object["generation"] = explanation_json(*read);
    if (options.prints_json()) fmt::print("{}\n", json_text(object));
  }
  return 0;
}

}  // namespace speclab::experiments
