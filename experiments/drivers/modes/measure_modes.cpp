#include "experiments/drivers/modes/measure_modes.h"

#include <fmt/format.h>

#include <sstream>

#include "experiments/drivers/levers/measure_steps.h"
#include "experiments/drivers/measure/measurement.h"
#include "experiments/drivers/program/build_info.h"
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

constexpr std::size_t kShownBytes = 400;  ///< of a text
const std::vector<int> kTimedRows{1, 2, 3, 4, 5, 8, 12, 20, 32, 40};

std::string hash_of(const std::vector<std::vector<Token>>& texts) {
  std::vector<Token> all;
  for (const std::vector<Token>& text : texts) {
    all.push_back(static_cast<Token>(text.size()));
    all.insert(all.end(), text.begin(), text.end());
  }
  return output_hash(all);
}

class ModeBench {
 public:
  ModeBench(engines::Engines& engines, engines::LoadedModel& loaded, const ModeTable& table)
      : engines_(engines),
        loaded_(loaded),
        table_(table),
        costs_(*loaded.model, table.pilots.front().prompt_ids,
               static_cast<int>(table.pilots.front().prompt_ids.size()), kTimedRows),
        machine_(engines.machine_info().cpu_model) {}

  /// Seconds for a token of this case, from pilots alone.
  double predicted(const DecodingCase& decoding_case) {
    double seconds = 0, tokens = 0;
    for (const engines::Request& pilot : table_.pilots) {
      const CaseDecoding decoded = decode(decoding_case, pilot);
      const double rows = static_cast<double>(decoded.rows) / static_cast<double>(decoded.steps);
      seconds += static_cast<double>(decoded.steps) * costs_.at(rows) * 1e-9;
      seconds += decoded.draft_seconds;
      tokens += static_cast<double>(decoded.tokens);
    }
    return seconds / tokens;
  }

  analysis::ModeRow row(const DecodingCase& decoding_case, const ModePrompt& prompt,
                        double predicted_of_token) {
    const CaseDecoding decoded = decode(decoding_case, prompt.request);
    return {.model = table_.settings.model,
            .name = decoding_case.name,
            .keys = decoding_case.keys,
            .mode = decoded.mode,
            .prompt = prompt.id,
            .tokens = decoded.tokens,
            .steps = decoded.steps,
            .rows = decoded.rows,
            .drafted = decoded.drafted,
            .accepted = decoded.accepted,
            .seconds = decoded.seconds,
            .predicted_seconds = predicted_of_token * static_cast<double>(decoded.tokens),
            .output_hash = hash_of(decoded.texts),
            .text = escaped(loaded_.tokenizer->decode(decoded.texts.front()), kShownBytes),
            .machine = machine_,
            .revision = kRevision};
  }

 private:
  CaseDecoding decode(const DecodingCase& decoding_case, const engines::Request& request) {
    return decode_case(engines_, loaded_, decoding_case, table_.settings, request);
  }

  engines::Engines& engines_;
  engines::LoadedModel& loaded_;
  const ModeTable& table_;
  StepCosts costs_;
  std::string machine_;
};

}  // namespace

GenerationPlan case_plan(const DecodingCase& decoding_case, const CaseSettings& settings,
                         std::size_t prompt_length) {
  std::map<std::string, std::string> values = values_of(decoding_case.keys);
  values["max_new_tokens"] = std::to_string(settings.new_tokens);
  std::optional<std::string> policy;
  if (decoding_case.drafter.kind != "plain")
    policy = fmt::format("constant:{}", decoding_case.draft_length);
  GenerationPlan plan = generation_plan_of(
      values,
      {.stop = {.ignore_eos = true}, .drafter = decoding_case.drafter, .seed = settings.seed},
      policy);
  set_prompt_length(plan, prompt_length);
  return plan;
}

CaseDecoding decode_case(engines::Engines& engines, engines::LoadedModel& loaded,
                         const DecodingCase& decoding_case, const CaseSettings& settings,
                         const engines::Request& request) {
  const GenerationPlan plan = case_plan(decoding_case, settings, request.prompt_ids.size());
  CaseDecoding decoding{.mode = plan.mode.name(), .texts = {}};
  if (plan.needs_search())
    search(engines, loaded, plan, request, decoding);
  else
    decode_in_rounds(engines, loaded, plan, request, decoding);
  decoding.tokens = static_cast<std::int64_t>(decoding.texts.front().size());
  return decoding;
}

std::vector<analysis::ModeRow> measure_modes(engines::Engines& engines,
                                             engines::LoadedModel& loaded, const ModeTable& table,
                                             const std::function<void(const std::string&)>& say) {
  say(fmt::format("{}: times forwards", table.settings.model));
  ModeBench bench(engines, loaded, table);
  std::vector<double> predicted;
  for (const DecodingCase& decoding_case : table.cases) {
    say(fmt::format("{}: pilots", decoding_case.name));
    predicted.push_back(bench.predicted(decoding_case));
  }
  std::vector<analysis::ModeRow> rows;
  for (std::size_t p = 0; p < table.prompts.size(); ++p) {
    say(fmt::format("prompt {} of {}", p + 1, table.prompts.size()));
    for (std::size_t i = 0; i < table.cases.size(); ++i) {
      const std::size_t c = (p + i) % table.cases.size();
      rows.push_back(bench.row(table.cases[c], table.prompts[p], predicted[c]));
    }
  }
  return rows;
}

}  // namespace speclab::experiments
