#include "experiments/drivers/reproduce/measured/mode_tables.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/prompts/chat_prompt.h"
#include "experiments/drivers/reproduce/measured/measured_run.h"
#include "sim/system/files.h"

namespace speclab::experiments {

std::string modes_file(const std::string& folder) { return folder + "/modes.csv"; }

void measure_modes_once(const std::string& folder,
                        const std::function<ModeTable(const engines::LoadedModel&)>& table_of) {
  const std::string path = modes_file(folder);
  if (std::filesystem::exists(path)) {
    for (const analysis::ModeRow& row : analysis::read_modes(path))
      require_own_revision(path, row.revision);
    return;
  }
  make_folder(folder);
  const auto engines = open_engines();
  engines::LoadedModel loaded = engines->load_model({.model = kModesModel});
  const std::vector<analysis::ModeRow> rows =
      measure_modes(*engines, loaded, table_of(loaded),
                    [](const std::string& line) { fmt::print(stderr, "{}\n", line); });
  write_file(path, analysis::modes_table().csv(rows));
}

std::vector<ModePrompt> mode_prompts(const engines::LoadedModel& loaded,
                                     const PromptSelection& selection,
                                     const std::string& chat_template) {
  std::vector<ModePrompt> prompts;
  for (const Prompt& prompt : read_prompts(selection))
    prompts.push_back({prompt.id,
                       {static_cast<std::uint32_t>(prompts.size()),
                        chat_prompt_ids(*loaded.tokenizer, prompt.text, chat_template)}});
  return prompts;
}

std::vector<engines::Request> requests_of(const std::vector<ModePrompt>& prompts) {
  std::vector<engines::Request> requests;
  for (const ModePrompt& prompt : prompts) requests.push_back(prompt.request);
  return requests;
}

std::string description_of(const std::vector<analysis::ModeRow>& rows) {
  std::set<std::string> prompts;
  for (const analysis::ModeRow& row : rows) prompts.insert(row.prompt);
  return fmt::format("{}, {} prompts on {}", rows.front().model, prompts.size(),
                     rows.front().machine);
}

}  // namespace speclab::experiments
