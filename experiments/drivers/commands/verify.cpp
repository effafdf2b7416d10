#include "experiments/drivers/commands/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "engines/interface/names.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/program/loading_note.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "experiments/drivers/prompts/prompt.h"
#include "experiments/drivers/verify/arithmetic_distance.h"
#include "experiments/drivers/verify/verification.h"
#include "sim/system/errors.h"

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

nlohmann::ordered_json number(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json json_of(const SampledLaw& sampled) {
  nlohmann::ordered_json tests = nlohmann::ordered_json::array();
  for (const LawTest& test : sampled.tests)
    tests.push_back({{"name", test.name},
                     {"p", number(test.p)},
                     {"smallest_shift", number(test.smallest_shift)}});
  return {{"tokens", sampled.tokens},
          {"impossible", sampled.impossible},
          {"at_the_edge", sampled.at_the_edge},
          {"tests", tests}};
}

nlohmann::ordered_json json_of(const ArithmeticDistance& distance) {
  return {{"dtype", distance.other_dtype},
          {"positions", distance.total_variations.size()},
          {"texts", distance.texts},
          {"prompts", distance.prompts},
          {"mean_total_variation", distance.mean()},
          {"standard_error", number(distance.standard_error)},
          {"percentile_99", number(distance.percentile_99())},
          {"largest", distance.largest()},
          {"arg_max_agreement", distance.arg_max_agreement()}};
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

nlohmann::ordered_json json_of(const Verification& v, const nlohmann::ordered_json& settings) {
  nlohmann::ordered_json differences = nlohmann::ordered_json::array();
  for (const Difference& d : v.greedy.differences)
    differences.push_back({{"text", d.sequence},
                           {"token", d.position},
                           {"gap", number(d.gap)},
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
  return object;
}

/// @param dtype  that the model has or was asked for
void check_against(const std::string& against, const std::string& dtype) {
  std::vector<std::string> allowed{kComparedDtypes.begin(), kComparedDtypes.end()};
  const bool is_known = std::ranges::find(allowed, against) != allowed.end();
  std::erase(allowed, dtype);
  if (!is_known)
    throw ConfigError(
        fmt::format("--against {}; allowed: {}", escaped(against, 40), fmt::join(allowed, ", ")));
  if (against == dtype)
    throw ConfigError(
        fmt::format("--against {}: the model has this number format itself; allowed: {}", against,
                    fmt::join(allowed, ", ")));
}

/// The logits of all positions lie in memory while the other arithmetic reads the texts.
void check_positions(std::int32_t positions, const engines::ModelInfo& model) {
  const double bytes_a_position = 4.0 * model.vocab_size,
               memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(sysconf(_SC_PAGESIZE)) / 2;
  if (positions * bytes_a_position <= memory) return;
  throw ConfigError(fmt::format(
      "--positions {}: their logits take {:.1f} GB, and half of this machine's memory is {:.1f} "
      "GB; allowed: at most {:.0f}",
      positions, positions * bytes_a_position / 1e9, memory / 1e9,
      std::floor(memory / bytes_a_position)));
}

/// Wrong options are told before a model is loaded, as far as they can be.
void check_options(const VerifyOptions& options) {
  if (options.speculation_length < 0)
    throw ConfigError(
        fmt::format("--speculation-length {}; allowed: integers >= 0", options.speculation_length));
  if (options.positions < 1)
    throw ConfigError(fmt::format("--positions {}; allowed: integers >= 1", options.positions));
  if (options.against) check_against(*options.against, options.common.model.dtype);
  if (const std::string& kind = options.decoder.drafter.kind; kind == "none" || kind == "plain")
    throw ConfigError(fmt::format("--drafter {} drafts nothing that could be verified; allowed: {}",
                                  kind,
                                  fmt::join(std::span(engines::kDrafterKinds).subspan(1), ", ")));
}

/// Loads the other arithmetic in place of the target, and the target again: one model lies in
/// memory at a time.
ArithmeticDistance measure_distance(engines::Engines& engines, engines::LoadedModel& loaded,
                                    const std::vector<engines::Request>& requests,
                                    const VerifyOptions& options, Progress& progress) {
  const std::string dtype = loaded.model->info().dtype;
  engines::ModelOptions other = options.common.model;
  other.dtype = *options.against;
  other.activations = "exact";
  other.cache_dtype = "auto";
  other.device = loaded.model->info().device;  // "auto" may choose another for another format
  const TokensDone tokens_done = [&](std::size_t tokens) {
    progress.advance(static_cast<double>(tokens));
  };
  progress.begin_phase("verify: the model's own text at temperature 1", 2.0 * options.positions);
  const OwnTexts own = write_own_texts(engines, loaded, requests,
                                       {.positions = options.positions,
                                        .seed = options.common.seed,
                                        .ignore_eos = options.decoder.stop.ignore_eos},
                                       tokens_done);
  progress.begin_phase(fmt::format("verify: the laws of that text in {}", other.dtype),
                       static_cast<double>(output_tokens(own.texts)));
  loaded.model.reset();
  const ArithmeticDistance distance =
      distance_to(*engines.load_model(other).model, dtype, own, tokens_done);
  progress.end_phase();
  loaded = engines.load_model(options.common.model);
  return distance;
}

void print_result(const Verification& result, const std::optional<ArithmeticDistance>& distance,
                  const VerificationPlan& plan, const engines::ModelInfo& model, bool json) {
  const std::string text =
      verdict_text(result, plan, model) + (distance ? distance_text(*distance) : "");
  if (!json) {
    fmt::print("{}", text);
    return;
  }
  nlohmann::ordered_json object = json_of(result, settings_of(plan, model));
  if (distance) object["against"] = json_of(*distance);
  object["text"] = text;
  fmt::print("{}\n", object.dump());
}

}  // namespace

int run_verify(const VerifyOptions& options) {
  check_options(options);
  const std::vector<Prompt> prompts = prompts_of(options);
  const auto engines = open_engines();
  engines::LoadedModel loaded = load_with_note(*engines, options.common.model);
  if (options.against) {
    check_against(*options.against, loaded.model->info().dtype);
    check_positions(options.positions, loaded.model->info());
  }
  VerificationPlan plan{options.decoder, options.speculation_length,
                        requests_of(options, prompts, loaded)};
  plan.decoder.seed = options.common.seed;
  check_settings(*engines, loaded, plan);
  Progress progress(Progress::style_of_standard_error());
  std::optional<ArithmeticDistance> distance;
  if (options.against)
    distance = measure_distance(*engines, loaded, plan.requests, options, progress);
  const Verification result = verify(*engines, loaded, plan, progress);
  print_result(result, distance, plan, loaded.model->info(), options.common.json);
  if (!result.passes() || (result.drafted > 0 && !engines::is_lossless(plan.decoder)))
    return static_cast<int>(ExitCode::drift);
  return static_cast<int>(result.tests_anything() ? ExitCode::ok : ExitCode::invalid_measurement);
}

}  // namespace speclab::experiments
