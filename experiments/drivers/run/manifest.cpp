#include "experiments/drivers/run/manifest.h"

#include <fmt/format.h>
#include <speclab_revision.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "sim/core/sha256.h"
#include "experiments/drivers/config/toml_text.h"
#include "experiments/drivers/kinds/kinds.h"
#include "experiments/drivers/run/config_changes.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::int64_t kBandwidthBytes = std::int64_t{1} << 30;
constexpr int kBandwidthPasses = 30;

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

ModelEntry model_entry(const std::string& name, const char* role, const engines::ModelInfo& info) {
  return {.name = name, .role = role, .sha256 = info.sha256, .weights = info.random_weights ? "random" : "trained", .parameters = info.num_parameters};
}

std::vector<ModelEntry> model_entries(const LoadedPlan& loaded) {
  std::vector<ModelEntry> entries;
  for (const std::string& name : loaded.plan.config.models) entries.push_back(model_entry(name, "target", loaded.models.at(name).model->info()));
  for (const Drafting& drafting : loaded.plan.draftings) {
    if (std::ranges::find(entries, drafting.drafter, &ModelEntry::name) != entries.end()) continue;
    if (const auto info = loaded.engines.drafter_info(drafting.options)) entries.push_back(model_entry(drafting.drafter, "drafter", *info));
  }
  return entries;
}

}  // namespace

HeaderEntry current_origin(const LoadedPlan& loaded, int workers) {
  const RunConfig& config = loaded.plan.config;
  const engines::MachineInfo machine = loaded.engines.machine_info();
  const engines::ModelInfo& target = loaded.models.at(loaded.plan.real_model()).model->info();
  std::vector<Prompt> prompts = loaded.plan.prompts;
  prompts.insert(prompts.end(), loaded.plan.pilot_prompts.begin(), loaded.plan.pilot_prompts.end());
  HeaderEntry header{.started_at = utc_now(), .provenance = {}, .config = to_toml(config), .models = model_entries(loaded), .machine = {}};
  header.provenance = {{"revision", SPECLAB_REVISION}, {"build_type", SPECLAB_BUILD_TYPE}, {"compiler", SPECLAB_COMPILER},
                       {"libtorch", machine.libtorch_version}, {"machine", machine.cpu_model}, {"device", target.device},
                       {"threads", std::to_string(machine.threads)}, {"dtype", target.dtype}, {"kernels", target.kernels},
                       {"arithmetic", config.target.arithmetic}, {"rounds", config.target.rounds}, {"config_sha256", sha256_text(header.config)}, {"prompts_sha256", prompts_digest(prompts)}, {"workers", std::to_string(workers)}};
  return header;
}

std::vector<std::pair<std::string, double>> measure_machine(const LoadedPlan& loaded) {
  return {{"read_bandwidth_bytes_per_s", loaded.engines.measure_read_bandwidth(kBandwidthBytes, kBandwidthPasses)}};
}

void check_same_origin(const HeaderEntry& begun, const HeaderEntry& now, const std::string& folder) {
  std::string differences;
  const auto compare = [&](const std::string& key, const std::string& then, const std::string& current) {
    if (then != current) differences += fmt::format("\n  {}: was {}, now {}", key, then, current);
  };
  differences += config_changes(begun.config, now.config);
  for (std::size_t i = 0; i < now.provenance.size(); ++i)
    compare(now.provenance[i].first, i < begun.provenance.size() ? begun.provenance[i].second : "", now.provenance[i].second);
  for (std::size_t i = 0; i < now.models.size(); ++i)
    compare("model " + now.models[i].name, i < begun.models.size() ? begun.models[i].sha256 : "", now.models[i].sha256);
  if (!differences.empty())
    throw DriftError(fmt::format("{}: this is not the run that was begun here:{}\nrestore what differs, or give another --output", folder, differences));
}

std::string manifest_toml(const Plan& plan, const HeaderEntry& header) {
  const RunConfig& config = plan.config;
  TomlText provenance;
  provenance.table("provenance");
  provenance.add("question", config.question);
  for (const auto& [key, value] : header.provenance) {
    if (key == "threads" || key == "workers") provenance.add(key, static_cast<std::int64_t>(std::stoll(value)));
    else provenance.add(key, value);
  }
  for (const auto& [key, value] : header.machine) provenance.add(key, value);
  provenance.add("seed", config.seed);
  if (experiment_kind(config.kind).yield == Yield::generations) provenance.add("planned_generations", static_cast<std::int64_t>(plan.generations.size()));
  provenance.add("started_at", header.started_at);
  for (const ModelEntry& model : header.models) {
    provenance.table("[provenance.models]");
    provenance.add("name", model.name);
    provenance.add("role", model.role);
    provenance.add("sha256", model.sha256);
    provenance.add("parameters", model.parameters);
    provenance.add("weights", model.weights);
  }
  return to_toml(config) + "\n" + provenance.content();
}

}  // namespace speclab::experiments
