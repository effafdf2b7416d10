#include "experiments/drivers/commands/generate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "engines/interface/names.h"
#include "experiments/drivers/commands/loading_note.h"
#include "experiments/drivers/commands/measured_auto_policy.h"
#include "experiments/drivers/commands/prompt.h"
#include "experiments/drivers/engines_loader.h"
#include "experiments/drivers/generate/bridge_report.h"
#include "experiments/drivers/generate/drafter_context.h"
#include "experiments/drivers/generate/drawn_draft.h"
#include "experiments/drivers/generate/masking_shift.h"
#include "experiments/drivers/generate/result_json.h"
#include "experiments/drivers/generate/round_summary.h"
#include "experiments/drivers/generate/shown_text.h"
#include "experiments/drivers/generate/stream_checks.h"
#include "experiments/drivers/generation/planned_generation.h"
#include "experiments/drivers/generation/run_search.h"
#include "experiments/drivers/run/energy_span.h"
#include "experiments/drivers/run/interruption.h"
#include "sim/core/errors.h"
#include "sim/core/policies/constant_policy.h"
#include "sim/core/policies/policy_registry.h"
#include "sim/core/tree_growth.h"

namespace speclab::experiments {
namespace {

using engines::RoundDecoder;

/// What both modes of a call share.
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

/// For `auto` costs are measured, once the decoder has shown that it takes the request.
std::unique_ptr<SpeculationLengthPolicy> measured_policy(Session& session,
                                                         const GenerateOptions& mode,
                                                         RoundDecoder& decoder) {
  decoder.begin({session.request}, ConstantPolicy(0));
  decoder.finish();
  Progress progress(Progress::style_of_standard_error());
  return measured_auto_policy(
      {*session.engines, session.loaded, mode.decoder, session.request.prompt_ids},
      {progress, [&] { session.check_interruption(); }});
}

/// Decodes the request.
Outcome decode(Session& session, const GenerateOptions& mode) {
  const engines::Tokenizer* tokenizer = session.loaded.tokenizer.get();
  std::optional<DrawnDraft> drawing;
  engines::DecoderOptions decoder_options = mode.decoder;
  decoder_options.log_probabilities = mode.stream.has_lines();
  if (mode.draw_trees)
    decoder_options.on_draft = [&](const Draft& draft, const TargetLaws<float>& laws) {
      drawing.emplace(tokenizer, draft, laws);
    };
  const auto made = session.engines->make_decoder(*session.loaded.model, session.loaded.tokenizer,
                                                  decoder_options);
  RoundDecoder& decoder = *made;
  if (!engines::is_lossless(mode.decoder))
    fmt::print(stderr, "speclab: verifier '{}' is lossy: the text does not have the target's law\n",
               mode.decoder.verifier);
  const bool is_measured = mode.policy == "auto";
  if (is_measured && !session.measured) session.measured = measured_policy(session, mode, decoder);
  const auto named = is_measured ? nullptr : make_policy(mode.policy);
  const SpeculationLengthPolicy& policy = is_measured ? *session.measured : *named;
  ShownText shown(mode, session.prompt_id, tokenizer);
  decoder.begin({session.request}, policy);
  shown.begin(session.request.prompt_ids);
  const EnergySpan energy(session.energy.get());
  std::size_t drawn = 0;
  for (bool more = true; more;) {
    session.check_interruption();
    more = decoder.round();
    const GenerationRecord& record = decoder.records().front();
    if (drawing && !record.rounds.empty())
      fmt::print("{}", text_of(drawing.value().round(record.rounds.back(),
                                                     std::span(record.output_ids).subspan(drawn))));
    drawn = record.output_ids.size();
    shown.show(record, !more);
  }
  Outcome outcome{decoder.records().front(), shown.text()};
  outcome.record.energy = energy.used();
  if (mode.draw_trees) fmt::print("{}", outcome.text);
  return outcome;
}

void note_drafter_context(const Session& session, const GenerateOptions& mode,
                          const Outcome& outcome) {
  const std::size_t tokens = session.request.prompt_ids.size() + outcome.record.output_ids.size();
  const std::string note = drafter_context_note(*session.engines, mode.decoder.drafter, tokens);
  for (const std::string& said : {note, bridge_note(outcome.record)})
    if (!said.empty()) fmt::print(stderr, "speclab: {}\n", said);
}

/// Loads the model and reads the prompt. Signals are caught only from here on: nothing is begun
/// before.
Session make_session(const GenerateOptions& options) {
  std::vector<Prompt> list;
  if (options.prompts.set) list = read_prompt_list(options.prompts);
  auto engines = open_engines();
  engines::LoadedModel loaded = load_with_note(*engines, options.common.model);
  check_stream_of_model(options.stream, loaded);
  std::vector<GivenPrompt> prompts = given_prompts(options, list, loaded);
  auto energy = engines->energy_meter();
  return {std::move(engines), std::move(loaded), std::move(energy), std::move(prompts)};
}

/// The call's own mode, after plain decoding where both are asked for.
std::vector<GenerateOptions> modes_of(const GenerateOptions& options) {
  std::vector<GenerateOptions> modes{options};
  modes.front().decoder.seed = options.common.seed;
  if (!options.side_by_side) return modes;
  modes.push_back(modes.front());
  modes.front().decoder.drafter = {.kind = "plain"};
  modes.front().policy = "none";
  modes.front().draw_trees = false;
  return modes;
}

/// Before anything is loaded or measured.
void check_options(const GenerateOptions& options) {
  if (options.draw_trees && options.common.json)
    throw ConfigError("--draw-trees and --json contradict each other; give one");
  check_stream(options);
  if (TreeGrowth::parse(options.decoder.drafter.tree, 1).is_adaptive &&
      !can_count_nodes(options.policy))
    throw ConfigError(
        fmt::format("policy '{}' with tree '{}', which takes its number of nodes from the policy; "
                    "allowed: heuristic, constant:N",
                    escaped(options.policy), escaped(options.decoder.drafter.tree)));
}

/// One prompt, in every mode of rounds. @return the object that --json prints
nlohmann::ordered_json generate_in_rounds(Session& session, const GenerateOptions& options) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  std::vector<GenerationRecord> outcomes;
  for (const GenerateOptions& mode : modes_of(options)) {
    const Outcome outcome = decode(session, mode);
    results.push_back(outcome_json(mode, session.loaded.model->info(), session.request, outcome));
    if (!options.prints_json() && !session.loaded.tokenizer)
      fmt::print("{}", fmt::join(outcome.record.output_ids, ","));
    if (!options.prints_json()) fmt::print("\n");
    std::fflush(stdout);  // before what is said on standard error
    if (!options.prints_json())
      print_summary(mode.decoder.drafter.kind, session.loaded.model->info(), outcome);
    note_drafter_context(session, mode, outcome);
    outcomes.push_back(outcome.record);
  }
  if (options.side_by_side && !options.prints_json())
    print_comparison(outcomes.front(), outcomes.back());
  if (!options.side_by_side) return results.front();
  return {{"plain", results.front()}, {"speculative", results.back()}};
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
  if (!session.plan) return generate_in_rounds(session, with_mask(session, options));
  if (!session.loaded.tokenizer) use_folder_ends(*session.plan);
  const GenerateOptions planned =
      with_plan(options, *session.plan, session.request.prompt_ids.size());
  check_options(planned);
  if (!session.plan->needs_search()) return generate_in_rounds(session, planned);
  return run_search({*session.engines, session.loaded, session.request, session.energy.get(),
                     [&] { session.check_interruption(); }},
                    planned, *session.plan);
}

/// Makes the mask of the model's tokens, and gives it to the plan.
void use_constraint(Session& session, const GenerateOptions& options) {
  if (!session.constraint) return;
  const engines::DecoderOptions& decoder = session.plan ? session.plan->decoder : options.decoder;
  session.mask = mask_of(*session.constraint, session.loaded, decoder.stop);
  if (!session.plan) return;
  session.plan->decoder.sampling.rules.mask = session.mask;
  session.plan->search.sampling.rules.mask = session.mask;
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
  check_options(options);
  check_masking_shift(options, plan ? &*plan : nullptr);
  Session session = make_session(options);
  session.plan = std::move(plan);
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
