#include "experiments/drivers/run/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <sstream>

#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/config/named_drafters.h"
#include "experiments/drivers/journal/origin.h"
#include "experiments/drivers/journal/work_keys.h"
#include "experiments/drivers/toml/toml_text.h"
#include "sim/system/sha256.h"

namespace speclab::experiments {
namespace {

constexpr std::int64_t kBandwidthBytes = std::int64_t{1} << 30;
/// Weights are streamed where memory is short.
constexpr std::int64_t kBytesBesideStreams = std::int64_t{128} << 20;
constexpr int kBandwidthPasses = 30;

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

const char* weights_of(const engines::ModelInfo& info) {
  if (info.random_weights) return "random";
  return info.widened_from.empty() ? "trained" : "widened";
}

ModelEntry model_entry(const std::string& name, const char* role, const engines::ModelInfo& info) {
  return {.name = name,
          .role = role,
          .sha256 = info.sha256,
          .weights = weights_of(info),
          .parameters = info.num_parameters,
          .training = info.training,
          .config_sha256 = info.config_sha256,
          .version = info.version};
}

/// A mixture's models are its parts'.
std::vector<NamedDrafter> drafters_with_parts(const Plan& plan) {
  std::vector<NamedDrafter> drafters;
  for (const Setting& drafting : plan.draftings) {
    const engines::DrafterOptions options = plan.drafter_options(drafting);
    drafters.push_back({.name = drafting.drafter, .options = options});
    const auto named = std::ranges::find(plan.drafters, drafting.drafter, &NamedDrafter::name);
    for (std::size_t i = 0; i < options.parts.size(); ++i)
      drafters.push_back(
          {.name = parse_part(named->parts[i]).drafter, .options = options.parts[i]});
  }
  return drafters;
}

std::vector<ModelEntry> model_entries(const LoadedPlan& loaded) {
  std::vector<ModelEntry> entries;
  for (const Setting& model : loaded.plan.loaded_models)
    if (std::ranges::find(entries, model.model, &ModelEntry::name) == entries.end())
      entries.push_back(model_entry(model.model, "target", loaded.model_of(model).model->info()));
  for (const NamedDrafter& drafter : drafters_with_parts(loaded.plan)) {
    if (std::ranges::find(entries, drafter.name, &ModelEntry::name) != entries.end()) continue;
    if (const auto info = loaded.engines.drafter_info(drafter.options))
      entries.push_back(model_entry(drafter.name, "drafter", *info));
  }
  return entries;
}

void add_model(const ModelEntry& model, TomlText& provenance) {
  provenance.table("[provenance.models]");
  provenance.add("name", model.name);
  provenance.add("role", model.role);
  if (!model.version.empty()) provenance.add("version", model.version);
  provenance.add("sha256", model.sha256);
  if (!model.config_sha256.empty()) provenance.add("model_config_sha256", model.config_sha256);
  provenance.add("parameters", model.parameters);
  provenance.add("weights", model.weights);
  if (!model.training) return;
  provenance.add("training_tokens", model.training->tokens);
  provenance.add("held_out_loss", model.training->held_out_loss);
  provenance.add("held_out_agreement", model.training->held_out_agreement);
  provenance.add("held_out_acceptance", model.training->held_out_acceptance);
}

/// The lines of origin_changes.
std::vector<std::string> lines_of(const std::string& changes) {
  std::vector<std::string> lines;
  std::istringstream stream(changes);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line.substr(2));
  return lines;
}

void add_section(int number, const RunLog& log, TomlText& provenance) {
  const HeaderEntry& header = log.sections().at(number).header;
  provenance.table("[provenance.sections]");
  provenance.add("section", number);
  provenance.add("generations",
                 static_cast<std::int64_t>(std::ranges::count(
                     log.rows(), number, [](const auto& row) { return row.second.section; })));
  provenance.add("started_at", header.started_at);
  provenance.add("differs", lines_of(origin_changes(header, *log.header())));
}

}  // namespace

HeaderEntry current_origin(const LoadedPlan& loaded, int workers) {
  const RunConfig& config = loaded.plan.config;
  const std::vector<Setting> models = loaded.plan.loaded_models;
  const auto first = std::ranges::find(models, loaded.plan.real_model_of(config.axes.model.front()),
                                       &Setting::model);
  const engines::ModelInfo& target = loaded.model_of(*first).model->info();
  std::vector<Prompt> prompts = loaded.plan.prompts;
  prompts.insert(prompts.end(), loaded.plan.pilot_prompts.begin(), loaded.plan.pilot_prompts.end());
  HeaderEntry header{.started_at = utc_now(),
                     .question = config.question,
                     .provenance = {},
                     .config = to_toml(config),
                     .models = model_entries(loaded),
                     .machine = {},
                     .plan_digest = plan_digest(loaded.plan)};
  header.provenance = program_origin(loaded.engines.machine_info(), target.device);
  const Provenance of_run{{"dtype", target.dtype},
                          {"kernels", target.kernels},
                          {"rounds", config.target.rounds},
                          {"config_sha256", sha256_text(header.config)},
                          {"prompts_sha256", prompts_digest(prompts)},
                          {"workers", std::to_string(workers)}};
  header.provenance.insert(header.provenance.end(), of_run.begin(), of_run.end());
  return header;
}

std::vector<std::pair<std::string, double>> measure_machine(const LoadedPlan& loaded) {
  const bool is_streamed = loaded.plan.config.target.weights == "streamed";
  return {{"read_bandwidth_bytes_per_s",
           loaded.engines.measure_read_bandwidth(
               is_streamed ? kBytesBesideStreams : kBandwidthBytes, kBandwidthPasses)}};
}

std::set<int> sections_in_tables(const RunLog& log) {
  std::set<int> sections;
  for (const auto& [id, row] : log.rows()) sections.insert(row.section);
  return sections;
}

/// Texts of a whole run: generations, or the target's own, one a cell and prompt; of the other
/// kinds nothing.
std::optional<std::int64_t> planned_texts(const Plan& plan) {
  const ExperimentKind& kind = experiment_kind(plan.config.kind);
  if (kind.yield == Yield::generations) return static_cast<std::int64_t>(plan.generations.size());
  if (!kind.is_by_prompt) return std::nullopt;
  return std::ranges::count_if(plan.generations, [&](const PlannedGeneration& g) {
    return g.repetition == 0 && !plan.cells[g.cell].is_plain();
  });
}

bool names_sections(const RunLog& log) {
  const std::set<int> sections = sections_in_tables(log);
  if (sections.size() != 1) return sections.size() > 1;
  return !origin_changes(log.sections().at(*sections.begin()).header, *log.header()).empty();
}

std::string manifest_toml(const Plan& plan, const RunLog& log) {
  const RunConfig& config = plan.config;
  const HeaderEntry& header = *log.header();
  TomlText provenance;
  provenance.table("provenance");
  provenance.add("question", config.question);
  for (const auto& [key, value] : header.provenance) {
    if (key == "threads" || key == "workers")
      provenance.add(key, static_cast<std::int64_t>(std::stoll(value)));
    else
      provenance.add(key, key == "config_sha256" ? sha256_text(to_toml(config)) : value);
  }
  for (const auto& [key, value] : header.machine) provenance.add(key, value);
  provenance.add("seed", config.seed);
  if (const auto planned = planned_texts(plan)) provenance.add("planned_generations", *planned);
  provenance.add("started_at", header.started_at);
  for (const ModelEntry& model : header.models) add_model(model, provenance);
  if (names_sections(log))
    for (const int section : sections_in_tables(log)) add_section(section, log, provenance);
  return to_toml(config) + "\n" + provenance.content();
}

}  // namespace speclab::experiments
