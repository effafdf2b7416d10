#include "experiments/drivers/modes/decoding_case.h"

#include <fmt/format.h>

#include <sstream>

#include "experiments/drivers/generate/planned_generation.h"
#include "sim/policies/policy_registry.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

std::map<std::string, std::string> values_of(const std::string& keys) {
  std::map<std::string, std::string> values;
  std::istringstream stream(keys);
  for (std::string entry; std::getline(stream, entry, ';');) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos)
      throw ConfigError("'" + escaped(entry, 60) + "'; allowed: key=value");
    values[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return values;
}

GenerateOptions options_of(const DecodingCase& decoding_case, const CaseSettings& settings) {
  GenerateOptions options;
  options.common.model.model = settings.model;
  options.common.seed = settings.seed;
  options.generation.given = values_of(decoding_case.keys);
  options.generation.given["max_new_tokens"] = std::to_string(settings.new_tokens);
  options.generation.has_key_option = true;
  options.decoder.drafter = decoding_case.drafter;
  options.decoder.stop.ignore_eos = true;
  if (decoding_case.drafter.kind == "plain") return options;
  options.generation.is_drafter_given = options.generation.is_policy_given = true;
  options.policy = fmt::format("constant:{}", decoding_case.draft_length);
  return options;
}

void search(engines::Engines& engines, engines::LoadedModel& loaded, const GenerationPlan& plan,
            const engines::Request& request, CaseDecoding& decoding) {
  const engines::SearchRecord record =
      engines.search(*loaded.model, loaded.tokenizer, plan.decoding, request, [] {});
  for (const engines::FoundSequence& found : record.sequences) decoding.texts.push_back(found.ids);
  decoding.steps = record.num_steps;
  decoding.rows = record.num_rows;
  decoding.drafted = record.num_drafted;
  decoding.accepted = record.num_accepted;
  decoding.draft_seconds = static_cast<double>(record.draft_ns) * 1e-9;
  decoding.seconds = static_cast<double>(record.decode_ns) * 1e-9;
}

void decode_in_rounds(engines::Engines& engines, engines::LoadedModel& loaded,
                      const GenerationPlan& plan, const engines::Request& request,
                      CaseDecoding& decoding) {
  const auto decoder = engines.make_decoder(*loaded.model, loaded.tokenizer, plan.decoding);
  decoder->begin({request}, *make_policy(plan.policy));
  while (decoder->round()) {
  }
  const GenerationRecord record = decoder->records().front();
  decoding.texts = {record.output_ids};
  decoding.steps = static_cast<std::int64_t>(record.rounds.size());
  for (const RoundRecord& round : record.rounds) {
    decoding.rows += round.rows;
    decoding.drafted += round.drafted;
    decoding.accepted += round.accepted;
    decoding.draft_seconds += static_cast<double>(round.draft_ns) * 1e-9;
  }
  decoding.seconds = static_cast<double>(record.decode_ns) * 1e-9;
}

}  // namespace

GenerationPlan case_plan(const DecodingCase& decoding_case, const CaseSettings& settings,
                         std::size_t prompt_length) {
  const GenerateOptions options = options_of(decoding_case, settings);
  const ReadGeneration read = read_generation(options).value();
  GenerationPlan plan = generation_plan(read.config, read.mode, options.generation,
                                        {options.decoder, options.policy, options.common.seed});
  set_prompt_length(plan, prompt_length);
  return plan;
}

CaseDecoding decode_case(engines::Engines& engines, engines::LoadedModel& loaded,
                         const DecodingCase& decoding_case, const CaseSettings& settings,
                         const engines::Request& request) {
  const GenerationPlan plan = case_plan(decoding_case, settings, request.prompt_ids.size());
  CaseDecoding decoding{.mode = plan.mode.name, .texts = {}};
  if (plan.needs_search())
    search(engines, loaded, plan, request, decoding);
  else
    decode_in_rounds(engines, loaded, plan, request, decoding);
  decoding.tokens = static_cast<std::int64_t>(decoding.texts.front().size());
  return decoding;
}

}  // namespace speclab::experiments
