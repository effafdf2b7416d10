#include "experiments/drivers/modes/measure_modes.h"

#include <fmt/format.h>

#include "experiments/drivers/levers/measure_steps.h"
#include "experiments/drivers/measure/measurement.h"
#include "experiments/drivers/program/build_info.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

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
