#include "experiments/drivers/commands/generate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/drivers/generate/call_checks.h"
#include "experiments/drivers/generate/masking_shift.h"
#include "experiments/drivers/generate/planned_generation.h"
#include "experiments/drivers/generate/result_json.h"
#include "experiments/drivers/generate/run_search.h"
#include "experiments/drivers/generate/text_in_rounds.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/program/interruption.h"
#include "experiments/drivers/program/loading_note.h"
#include "experiments/drivers/prompts/prompt.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// Everything that the prompts of a call share.
struct Session {
  std::unique_ptr<engines::Engines> engines;
  engines::LoadedModel loaded;
  std::unique_ptr<engines::EnergyMeter> energy;  ///< null if the machine does not tell any
  std::vector<GivenPrompt> prompts;
  engines::Request request{};                           ///< of the prompt in turn
  std::string prompt_id{};                              ///< its name in a list
  std::unique_ptr<SpeculationLengthPolicy> measured{};  ///< `auto`, once its costs are known
  std::optional<GenerationPlan> plan{};  ///< of GenerationConfig; none: the options say it all
  std::shared_ptr<const engines::TextConstraint> constraint{};  ///< null: any text
  std::shared_ptr<const engines::TokenMask> mask{};             ///< of the constraint
  Interruption interruption{};

  void check_interruption() const {
    interruption.check(
        "the text is not finished; generate has nothing to resume, so give the command again");
  }
};

/// Loads the model and reads the prompt. Signals are caught only from here on: nothing is begun
/// before.
Session make_session(const GenerateOptions& options) {
  std::vector<Prompt> list;
  if (options.prompt.list.set) list = read_prompt_list(options.prompt.list);
  auto engines = open_engines();
  engines::LoadedModel loaded = load_with_note(*engines, options.common.model);
  check_stream_of_model(options.stream, loaded);
  if (options.prompt.ids && !options.decoder.stop.stop_strings.empty())
    tokenizer_of(loaded, "stop strings need a model with a tokenizer");
  std::vector<GivenPrompt> prompts = given_prompts(options.prompt, list, loaded);
  auto energy = engines->energy_meter();
  return {std::move(engines), std::move(loaded), std::move(energy), std::move(prompts)};
}

/// An end that no token is would never come.
void check_ends(const GenerationPlan& plan, const engines::ModelInfo& model) {
  for (const Token end : plan.decoding.stop.eos_token_ids.value_or(std::vector<Token>{}))
    if (end < 0 || end >= model.vocab_size)
      throw ConfigError(fmt::format("eos_token_id has {}; allowed: 0 to {}, the vocabulary of '{}'",
                                    end, model.vocab_size - 1, escaped(model.name, 100)));
}

/// Tells rules about whole texts, of a call without a plan, what they need to know.
GenerateOptions with_mask(const Session& session, GenerateOptions options) {
  options.decoder.sampling.rules.mask = session.mask;
  options.decoder.sampling.rules.set_lengths(session.request.prompt_ids.size(),
                                             options.decoder.stop.max_new_tokens);
  return options;
}

/// One prompt. @return the object that --json prints
nlohmann::ordered_json generate(Session& session, const GenerateOptions& options) {
  const TextCall call{*session.engines,     session.loaded,
                      session.request,      session.prompt_id,
                      session.energy.get(), [&] { session.check_interruption(); }};
  if (!session.plan) return text_in_rounds(call, with_mask(session, options), session.measured);
  if (!session.loaded.tokenizer) use_folder_ends(*session.plan);
  const GenerateOptions planned =
      with_plan(options, *session.plan, session.request.prompt_ids.size());
  if (!session.plan->needs_search()) return text_in_rounds(call, planned, session.measured);
  return run_search(call, planned, *session.plan);
}

/// Makes the mask of the model's tokens, and gives it to the plan.
void use_constraint(Session& session, const GenerateOptions& options) {
  if (!session.constraint) return;
  const engines::DecoderOptions& decoder = session.plan ? session.plan->decoding : options.decoder;
  session.mask = mask_of(*session.constraint, session.loaded, decoder.stop);
  if (!session.plan) return;
  session.plan->decoding.sampling.rules.mask = session.mask;
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
  const GivenConstraint given = read_constraint(options.constraint);
  const auto read = read_generation(options);
  auto plan = read ? planned_generation(options, *read) : std::nullopt;
  if (options.generation.explain) return 0;
  if (!plan) check_call(options, nullptr);
  note_unused_options(options, plan ? &*plan : nullptr);
  Session session = make_session(options);
  session.plan = std::move(plan);
  if (session.plan) check_ends(*session.plan, session.loaded.model->info());
  session.constraint = given.constraint;
  use_constraint(session, options);
  for (std::size_t i = 0; i < session.prompts.size(); ++i) {
    const GivenPrompt& prompt = session.prompts[i];
    session.request = {static_cast<std::uint32_t>(i), prompt.ids};
    session.prompt_id = prompt.id;
    if (!options.prints_json() && !prompt.id.empty())
      fmt::print("== {} ({})\n", prompt.id, prompt.category);
    nlohmann::ordered_json result = generate(session, options);
    if (given.constraint) add_constraint(given, *session.loaded.tokenizer, result);
    if (options.constraint.masking_shift)
      add_masking_shift(
          {*session.loaded.model, *session.plan, prompt.ids, [&] { session.check_interruption(); }},
          result);
    nlohmann::ordered_json object = named(prompt, result);
    if (read) object["generation"] = generation_json(*read);
    if (options.prints_json()) fmt::print("{}\n", json_text(object));
  }
  return 0;
}

}  // namespace speclab::experiments
