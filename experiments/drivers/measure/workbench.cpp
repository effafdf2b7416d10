#include "experiments/drivers/measure/workbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/measure/pilots.h"
#include "experiments/drivers/measure/warm_up.h"
#include "experiments/drivers/program/energy_span.h"
#include "sim/policies/constant_policy.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kMaxDecoders =
    48;  // a decoder of the default model holds about 50 MB of cache

std::string key_of(const DecoderSettings& settings) {
  const Setting& setting = settings.setting;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}", setting.model, setting.drafter, setting.tree,
                     setting.verifier, setting.temperature, settings.new_tokens,
                     settings.replay_name);
}

}  // namespace

engines::DecoderOptions decoder_options(const Plan& plan, const Setting& setting) {
  const RunConfig& config = plan.config;
  engines::DecoderOptions options{.sampling = config.sampling,
                                  .stop = {.max_new_tokens = config.prompts.new_tokens,
                                           .ignore_eos = config.prompts.ignore_eos},
                                  .drafter = plan.drafter_options(setting),
                                  .lossy = config.lossy,
                                  .seed = config.seed};
  options.sampling.temperature = setting.temperature;
  if (!setting.is_plain()) options.verifier = setting.verifier;
  return options;
}

engines::DecoderOptions decoder_options(const Plan& plan, const DecoderSettings& settings) {
  engines::DecoderOptions options = decoder_options(plan, settings.setting);
  options.stop.max_new_tokens = settings.new_tokens;
  options.replay = settings.replay;
  if (settings.replay) options.verifier = "replay";
  return options;
}

Workbench::Workbench(const LoadedPlan& loaded, RunLog& log, Progress& progress, BenchLimits limits)
    : loaded_(loaded),
      log_(log),
      progress_(progress),
      limits_(std::move(limits)),
      energy_(loaded.engines.energy_meter()) {}

DecoderSettings Workbench::settings(const Setting& setting, const std::string& category) const {
  DecoderSettings settings{.setting = setting, .new_tokens = plan().config.prompts.new_tokens};
  if (setting.is_plain() || !is_shape_model(setting.model)) return settings;
  settings.replay_name = category;
  settings.replay = std::make_shared<engines::ReplayTrace>(
      replay_trace(plan(), log_, {replayed_setting(plan(), setting), category}));
  return settings;
}

engines::RoundDecoder& Workbench::decoder(const DecoderSettings& settings) {
  const std::string key = key_of(settings);
  const auto found =
      std::ranges::find(decoders_, key, [](const auto& entry) { return entry.first; });
  if (found != decoders_.end()) {
    decoders_.splice(decoders_.begin(), decoders_, found);
    return *found->second;
  }
  if (decoders_.size() == kMaxDecoders) decoders_.pop_back();
  const engines::LoadedModel& loaded = loaded_.models.at(settings.setting.model);
  decoders_.emplace_front(key, loaded_.engines.make_decoder(*loaded.model, loaded.tokenizer,
                                                            decoder_options(plan(), settings)));
  warm_up(*decoders_.front().second, loaded_.texts_of(settings.setting.model).prompts);
  return *decoders_.front().second;
}

GenerationRecord Workbench::decode(engines::RoundDecoder& rounds, const engines::Request& request,
                                   const SpeculationLengthPolicy& policy, double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  rounds.begin({request}, policy);
  const EnergySpan energy(energy_.get());
  while (rounds.round()) {
    check_interruption();
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds)
      throw TimeoutError(fmt::format(
          "took longer than {} s, {} of {} tokens were there; give a larger --timeout-s", seconds,
          rounds.records().front().output_ids.size(), plan().config.prompts.new_tokens));
  }
  GenerationRecord record = rounds.records().front();
  record.energy = energy.used();
  rounds.finish();
  return record;
}

GenerationRecord Workbench::generate(const DecoderSettings& settings,
                                     const engines::Request& request,
                                     const SpeculationLengthPolicy& policy) {
  return decode(decoder(settings), request, policy, std::numeric_limits<double>::infinity());
}

GenerationRecord Workbench::generate_in_time(const DecoderSettings& settings,
                                             const engines::Request& request,
                                             const SpeculationLengthPolicy& policy) {
  const double limit = limits_.generation_timeout_s;
  return decode(decoder(settings), request, policy,
                limit > 0 ? limit : std::numeric_limits<double>::infinity());
}

}  // namespace speclab::experiments
