#include "experiments/drivers/measure/workbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "experiments/drivers/config/generation_axis.h"
#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/measure/measurement.h"
#include "experiments/drivers/measure/pilots.h"
#include "experiments/drivers/program/energy_span.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kMaxDecoders =
    48;  // a decoder of the default model holds about 50 MB of cache

std::string key_of(const DecoderSettings& settings) {
  const Setting& setting = settings.setting;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", setting.loaded_model(), setting.drafter,
                     setting.tree, setting.verifier, setting.temperature, setting.batch,
                     setting.generation, settings.new_tokens, settings.prompt_tokens,
                     settings.replay_name);
}

/// The best text of a search, with its steps as rounds.
GenerationRecord record_of(const engines::SearchRecord& found) {
  GenerationRecord record{.output_ids = found.sequences.front().ids,
                          .fates = {},
                          .rounds = found.rounds,
                          .stop_reason = found.sequences.front().stop_reason,
                          .prefill_ns = found.prefill_ns,
                          .decode_ns = found.decode_ns,
                          .read = found.read};
  record.fates.assign(record.output_ids.size(), TokenFate::plain);
  for (std::size_t i = 1; i < found.sequences.size(); ++i)
    record.other_texts.push_back(found.sequences[i].ids);
  const RoundRecord& first = record.rounds.front();
  record.time_to_first_token_ns =
      record.prefill_ns + first.draft_ns + first.target_ns + first.verify_ns + first.other_ns;
  return record;
}

}  // namespace

engines::DecoderOptions decoder_options(const Plan& plan, const Setting& setting) {
  const RunConfig& config = plan.config;
  if (!setting.generation.empty()) return generation_of(config, setting).decoding;
  engines::DecoderOptions options;
  options.sampling = config.sampling;
  options.sampling.temperature = setting.temperature;
  options.stop = {.max_new_tokens = config.prompts.new_tokens,
                  .ignore_eos = config.prompts.ignore_eos};
  options.drafter = plan.drafter_options(setting);
  options.lossy = config.lossy;
  options.seed = config.seed;
  if (!setting.is_plain()) options.verifier = setting.verifier;
  return options;
}

engines::DecoderOptions decoder_options(const Plan& plan, const DecoderSettings& settings) {
  engines::DecoderOptions options = decoder_options(plan, settings.setting);
  options.stop.max_new_tokens = settings.new_tokens;
  options.replay = settings.replay;
  if (settings.replay) options.verifier = "replay";
  if (!settings.setting.generation.empty())
    options.sampling.rules.set_lengths(settings.prompt_tokens, settings.new_tokens);
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
  const engines::LoadedModel& loaded = loaded_.model_of(settings.setting);
  decoders_.emplace_front(key, loaded_.engines.make_decoder(*loaded.model, loaded.tokenizer,
                                                            decoder_options(plan(), settings)));
  warm_up(*decoders_.front().second, loaded_.texts_of(settings.setting.model).prompts,
          settings.setting.batch);
  return *decoders_.front().second;
}

Workbench::Check Workbench::check_of(double seconds) const {
  const auto begin = std::chrono::steady_clock::now();
  return [this, seconds, begin](std::size_t num_tokens) {
    check_interruption();
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds)
      throw TimeoutError(fmt::format(
          "took longer than {} s, {} of {} tokens were there; give a larger --timeout-s", seconds,
          num_tokens, plan().config.prompts.new_tokens));
  };
}

GenerationRecord Workbench::search(const DecoderSettings& settings, const engines::Request& request,
                                   const Check& check) {
  const engines::LoadedModel& loaded = loaded_.model_of(settings.setting);
  std::size_t steps = 0;
  const EnergySpan energy(energy_.get());
  const engines::SearchRecord found =
      loaded_.engines.search(*loaded.model, loaded.tokenizer, decoder_options(plan(), settings),
                             request, [&] { check(steps++); });
  GenerationRecord record = record_of(found);
  record.energy = energy.used();
  return record;
}

std::vector<GenerationRecord> Workbench::decode(const DecoderSettings& settings,
                                                const std::vector<engines::Request>& requests,
                                                const SpeculationLengthPolicy& policy,
                                                double seconds) {
  DecoderSettings own = settings;
  if (!own.setting.generation.empty()) own.prompt_tokens = requests.front().prompt_ids.size();
  if (is_searched(plan().config, own.setting))
    return {search(own, requests.front(), check_of(seconds))};
  engines::RoundDecoder& rounds = decoder(own);
  const Check check = check_of(seconds);
  rounds.begin(requests, policy);
  const EnergySpan energy(energy_.get());
  while (rounds.round()) check(rounds.records().front().output_ids.size());
  std::vector<GenerationRecord> records = rounds.records();
  std::optional<EnergyUse> share = energy.used();
  if (share) share->joules /= static_cast<double>(records.size());
  for (GenerationRecord& record : records) record.energy = share;
  rounds.finish();
  return records;
}

std::vector<GenerationRecord> Workbench::generate(const DecoderSettings& settings,
                                                  const std::vector<engines::Request>& requests,
                                                  const SpeculationLengthPolicy& policy) {
  return decode(settings, requests, policy, std::numeric_limits<double>::infinity());
}

std::vector<GenerationRecord> Workbench::generate_in_time(
    const DecoderSettings& settings, const std::vector<engines::Request>& requests,
    const SpeculationLengthPolicy& policy) {
  const double limit = limits_.generation_timeout_s;
  return decode(settings, requests, policy,
                limit > 0 ? limit : std::numeric_limits<double>::infinity());
}

void Workbench::prepare(const DecoderSettings& settings) {
  if (!is_searched(plan().config, settings.setting)) {
    decoder(settings);
    return;
  }
  const auto& prompts = loaded_.texts_of(settings.setting.model).prompts;
  generate(settings, {{0, *std::ranges::max_element(prompts, {}, &std::vector<Token>::size)}},
           ConstantPolicy(0));
}

void warm_up(engines::RoundDecoder& decoder, const std::vector<std::vector<Token>>& prompts,
             int batch) {
  const engines::Request longest{
      0, *std::ranges::max_element(prompts, {}, [](const auto& ids) { return ids.size(); })};
  decoder.begin(std::vector(static_cast<std::size_t>(batch), longest), ConstantPolicy(2));
  for (int rounds = 0; rounds < 2 && decoder.round(); ++rounds) {
  }
  decoder.finish();
}

void warm_up(Workbench& bench) {
  bench.progress().begin_phase("warm-up", static_cast<double>(bench.plan().cells.size()));
  for (const Cell& cell : bench.plan().cells) {
    bench.check_interruption();
    try {
      if (!cell.is_replayed() &&
          (cell.category == "all" || cell.category == bench.plan().prompts.front().category))
        bench.prepare(bench.settings(cell.setting, ""));
    } catch (const std::exception& error) {
      if (!failure_status(error)) throw;
      bench.forget_decoders();
    }
    bench.progress().advance(1);
  }
  bench.progress().end_phase();
}

}  // namespace speclab::experiments
