#include "experiments/drivers/commands/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <span>

#include "engines/interface/names.h"
#include "experiments/drivers/commands/loading_note.h"
#include "experiments/drivers/commands/prompt.h"
#include "experiments/drivers/engines_loader.h"
#include "experiments/drivers/plan/chat_prompt.h"
#include "experiments/drivers/verify/verification.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

/// Two of each category, unless the command says otherwise; none beside ids.
std::vector<Prompt> prompts_of(const VerifyOptions& options) {
  constexpr int kPerCategory = 2;
  if (options.prompt_ids) return {};
  return read_prompt_list(options.prompts, "core", kPerCategory);
}

std::vector<engines::Request> requests_of(const VerifyOptions& options,
                                          const std::vector<Prompt>& prompts,
                                          const engines::LoadedModel& loaded) {
  if (options.prompt_ids) {
    note_missing_text(loaded);
    return {{0, parse_prompt_ids(*options.prompt_ids)}};
  }
  const engines::Tokenizer& tokenizer = tokenizer_of(
      loaded, "this model has no tokenizer; give a prompt as ids with --prompt-ids 1,2,3");
  const std::string chat_template = options.chat_template ? "auto" : "off";
  note_missing_template(tokenizer, chat_template);
  std::vector<engines::Request> requests;
  for (const Prompt& prompt : prompts)
    requests.push_back(
        {static_cast<std::uint32_t>(requests.size()),
         chat_prompt_ids(tokenizer, prompt.text, chat_template, "give --no-chat-template")});
  return requests;
}

nlohmann::ordered_json json_of(const SampledLaw& sampled) {
  nlohmann::ordered_json tests = nlohmann::ordered_json::array();
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  for (const LawTest& test : sampled.tests)
    tests.push_back({{"name", test.name},
                     {"p", number(test.p)},
                     {"smallest_shift", number(test.smallest_shift)}});
  return {{"tokens", sampled.tokens},
          {"impossible", sampled.impossible},
          {"at_the_edge", sampled.at_the_edge},
          {"tests", tests}};
}

nlohmann::ordered_json settings_of(const VerificationPlan& plan, const engines::ModelInfo& model) {
  const engines::DecoderOptions& decoder = plan.decoder;
  return {{"model_name", model.name},
          {"model_sha256", model.sha256},
          {"dtype", model.dtype},
          {"kernels", model.kernels},
          {"drafter", decoder.drafter.kind},
          {"tree", decoder.drafter.tree},
          {"speculation_length", plan.speculation_length},
          {"verifier", decoder.verifier},
          {"lossless", engines::is_lossless(decoder)},
          {"temperature", decoder.sampling.temperature},
          {"seed", decoder.seed},
          {"texts", plan.requests.size()},
          {"max_new_tokens", decoder.stop.max_new_tokens}};
}

nlohmann::ordered_json json_of(const Verification& v, const nlohmann::ordered_json& settings,
                               const std::string& text) {
  nlohmann::ordered_json differences = nlohmann::ordered_json::array();
  for (const Difference& d : v.greedy.differences)
    differences.push_back(
        {{"text", d.sequence},
         {"token", d.position},
         {"gap", d.gap ? nlohmann::ordered_json(*d.gap) : nlohmann::ordered_json()},
         {"near_tie", v.is_near_tie(d)}});
  nlohmann::ordered_json object = {
      {"passes", v.passes()},
      {"tests_anything", v.tests_anything()},
      {"settings", settings},
      {"greedy", {{"tokens", v.greedy.tokens}, {"differences", differences}}},
      {"rows",
       {{"rows", v.rows.rows()},
        {"different", v.rows.different},
        {"largest", v.rows.largest()},
        {"allowed", v.rows.allowed},
        {"flips", v.rows.flips}}},
      {"drafted", v.drafted},
      {"accepted", v.accepted}};
  if (v.sampled) object["sampled"] = json_of(*v.sampled);
  if (v.exact)
    object["exact"] = {{"tokens", v.exact->tokens},
                       {"outputs", v.exact->outputs},
                       {"paths", v.exact->paths},
                       {"largest_error", v.exact->largest_error}};
  object["text"] = text;
  return object;
}

}  // namespace

int run_verify(const VerifyOptions& options) {
  if (options.speculation_length < 0)
    throw ConfigError(
        fmt::format("--speculation-length {}; allowed: integers >= 0", options.speculation_length));
  if (const std::string& kind = options.decoder.drafter.kind; kind == "none" || kind == "plain")
    throw ConfigError(fmt::format("--drafter {} drafts nothing that could be verified; allowed: {}",
                                  kind,
                                  fmt::join(std::span(engines::kDrafterKinds).subspan(1), ", ")));
  const std::vector<Prompt> prompts = prompts_of(options);
  const auto engines = open_engines();
  engines::LoadedModel loaded = load_with_note(*engines, options.common.model);
  VerificationPlan plan{options.decoder, options.speculation_length,
                        requests_of(options, prompts, loaded)};
  plan.decoder.seed = options.common.seed;
  const Verification result = verify(*engines, loaded, plan, [](const std::string& what) {
    fmt::print(stderr, "verify: {}\n", what);
  });
  const std::string text = verdict_text(result, plan, loaded.model->info());
  fmt::print("{}",
             options.common.json
                 ? json_of(result, settings_of(plan, loaded.model->info()), text).dump() + "\n"
                 : text);
  if (!result.passes() || (result.drafted > 0 && !engines::is_lossless(plan.decoder)))
    return static_cast<int>(ExitCode::drift);
  return static_cast<int>(result.tests_anything() ? ExitCode::ok : ExitCode::invalid_measurement);
}

}  // namespace speclab::experiments
