#include "engines/training/torch/training_loop.h"

#include <ATen/core/Tensor.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "engines/training/manifest.h"
#include "engines/training/torch/training_device.h"

namespace speclab::engines {
namespace {

using nlohmann::ordered_json;

ordered_json schedule_json(const TrainingSchedule& s) {
  return {{"batch", s.batch},
          {"optimiser", s.optimiser},
          {"learning_rate", s.learning_rate},
          {"rate_schedule", s.rate_schedule},
          {"weight_decay", s.weight_decay},
          {"max_gradient_norm", s.max_gradient_norm},
          {"epochs", s.epochs},
          {"seed", s.seed},
          {"dtype", product_dtype(s) == at::kBFloat16 ? "bfloat16" : "float32"},
          {"device", s.device}};
}

std::int64_t num_emitted(TrainingTask::Texts texts) {
  std::int64_t tokens = 0;
  for (const OwnText* text : texts) tokens += static_cast<std::int64_t>(text->laws.size());
  return tokens;
}

ordered_json held_out_json(const TrainingTask& task, TrainingTask::Texts texts,
                           const char* source) {
  std::map<float, std::vector<const OwnText*>> by_temperature;
  for (const OwnText* text : texts) by_temperature[text->temperature].push_back(text);
  ordered_json rows = ordered_json::array();
  for (const auto& [temperature, of_temperature] : by_temperature) {
    const std::vector<Validation> by_step = task.validate(of_temperature);
    const Validation& v = by_step.front();
    rows.push_back({{"source", source},
                    {"temperature", std::round(static_cast<double>(temperature) * 1e4) / 1e4},
                    {"tokens", num_emitted(of_temperature)},
                    {"loss_nats", v.loss},
                    {task.acceptance_name(), v.acceptance_rate},
                    {"greedy_agreement", v.greedy_agreement}});
    for (std::size_t step = 1; step < by_step.size(); ++step)
      rows.back()["acceptance_rate_of_further_tokens"].push_back(by_step[step].acceptance_rate);
  }
  return rows;
}

}  // namespace

ordered_json transformer_manifest(const TrainingTask& task, const TextSplit& texts,
                                  const TrainOptions& options, const TargetName& target,
                                  const TrainingOutcome& outcome) {
  const bool is_own_text = options.text.files.empty();
  const std::int32_t held_out = options.schedule.validation_sequences;
  const ordered_json source = is_own_text ? own_text_json(options.own_text, held_out)
                                          : file_text_json(options.text, held_out);
  ordered_json manifest{{"kind", options.drafter}};
  add_version(options.output, manifest);
  if (!target.name.empty())
    manifest.update({{"target", std::filesystem::path(target.name).filename().string()},
                     {"target_sha256", target.sha256}});
  manifest.update(
      {{is_own_text ? "own_text" : "text", source},
       {"tokens", num_emitted(texts.training)},
       {"schedule", schedule_json(options.schedule)},
       {"held_out", held_out_json(task, texts.held_out, is_own_text ? "own text" : "text files")}});
  add_provenance(options.config, outcome.origins, manifest);
  return manifest;
}

}  // namespace speclab::engines
