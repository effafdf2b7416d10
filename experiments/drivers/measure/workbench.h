#pragma once
// What all phases of a run work with: plan, models, prompts as tokens, decoders, the log.

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/engines.h"
#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/program/progress.h"

namespace speclab::experiments {

class RunLog;

/// A plan's prompts as one model's tokens.
struct TokenizedPrompts {
  std::vector<std::vector<Token>> prompts, pilots;  ///< as Plan::prompts and Plan::pilot_prompts
};

/// The models of a plan and its prompts as tokens.
struct LoadedPlan {
  const Plan& plan;
  engines::Engines& engines;
  std::map<std::string, engines::LoadedModel> models;  ///< by Setting::loaded_model
  std::map<std::string, TokenizedPrompts> texts;       ///< by real model

  const engines::LoadedModel& model_of(const Setting& setting) const {
    return models.at(setting.loaded_model());
  }

  /// The texts that a model of the plan reads: a shape model those of the real one.
  const TokenizedPrompts& texts_of(const std::string& model) const {
    return texts.at(plan.real_model_of(model));
  }
  const engines::Tokenizer& tokenizer_of(const std::string& model) const;
};

/// Loads every target and checks that drafters and prompts fit it.
/// @throws ConfigError, ModelFileError, DeviceError
/// @param threads  of the engines; 0: as the config says
LoadedPlan load_plan(const Plan& plan, engines::Engines& engines, int threads = 0);

/// The prompts as tokens and no models: enough for the files of a run.
LoadedPlan tokenized_plan(const Plan& plan, engines::Engines& engines);

/// All that a decoder is made from.
struct DecoderSettings {
  Setting setting;  ///< its policy counts in searches alone
  std::int32_t new_tokens = 0;
  std::size_t prompt_tokens = 0;  ///< that rules about whole texts count; of a generation alone
  std::string replay_name{};      ///< names the trace of a shape model
  std::shared_ptr<const engines::ReplayTrace> replay{};
};

/// The options of a decoder of a plan.
engines::DecoderOptions decoder_options(const Plan& plan, const Setting& setting);
engines::DecoderOptions decoder_options(const Plan& plan, const DecoderSettings& settings);

/// What may end a run or a generation before its time.
struct BenchLimits {
  std::function<void()> check_interruption = [] {
  };  ///< throws if the run is to stop; called between rounds
  double generation_timeout_s = 0;  ///< of a measured generation; 0 is none
};

/// One run in progress.
class Workbench {
 public:
  Workbench(const LoadedPlan& loaded, RunLog& log, Progress& progress, BenchLimits limits);

  const Plan& plan() const { return loaded_.plan; }
  const LoadedPlan& loaded() const { return loaded_; }
  RunLog& log() { return log_; }
  Progress& progress() { return progress_; }
  void check_interruption() const { limits_.check_interruption(); }
  engines::LanguageModel& model(const Setting& setting) { return *loaded_.model_of(setting).model; }

  /// Settings for a prompt of this category.
  DecoderSettings settings(const Setting& setting, const std::string& category) const;
  /// Makes the decoder, where it is not there yet, and lets it run the longest prompt for two
  /// rounds, or a search to its end: no first touch of memory is timed later.
  void prepare(const DecoderSettings& settings);
  /// Gives up every decoder and its memory: what follows begins as in a new process.
  void forget_decoders() { decoders_.clear(); }
  /// Decodes requests together to their ends. @param policy  ignored by plain decoding
  /// @throws TimeoutError if that takes longer than the limit
  std::vector<GenerationRecord> generate_in_time(const DecoderSettings& settings,
                                                 const std::vector<engines::Request>& requests,
                                                 const SpeculationLengthPolicy& policy);
  /// The same without a limit.
  std::vector<GenerationRecord> generate(const DecoderSettings& settings,
                                         const std::vector<engines::Request>& requests,
                                         const SpeculationLengthPolicy& policy);

 private:
  /// Looks whether a generation may go on.
  using Check = std::function<void(std::size_t num_tokens)>;

  engines::RoundDecoder& decoder(const DecoderSettings& settings);
  Check check_of(double seconds) const;
  std::vector<GenerationRecord> decode(const DecoderSettings& settings,
                                       const std::vector<engines::Request>& requests,
                                       const SpeculationLengthPolicy& policy, double seconds);
  GenerationRecord search(const DecoderSettings& settings, const engines::Request& request,
                          const Check& check);

  const LoadedPlan& loaded_;
  RunLog& log_;
  Progress& progress_;
  BenchLimits limits_;
  std::unique_ptr<engines::EnergyMeter> energy_;  ///< null if the machine does not tell any
  /// Warm decoders, last used first. The oldest go when there are many.
  std::list<std::pair<std::string, std::unique_ptr<engines::RoundDecoder>>> decoders_;
};

/// Lets a new decoder read the longest prompt and run two rounds, so that no first touch of memory
/// is timed later.
/// @param prompts  [prompt][token], at least one @param batch  sequences that it decodes together
void warm_up(engines::RoundDecoder& decoder, const std::vector<std::vector<Token>>& prompts,
             int batch);

/// Prepares the decoder of every cell whose verdicts are not replayed; those need the pilots and
/// are prepared when first used. One that cannot be prepared is left to its generations, which then
/// fail.
void warm_up(Workbench& bench);

}  // namespace speclab::experiments
