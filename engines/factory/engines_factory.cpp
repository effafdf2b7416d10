#include <fmt/format.h>

#include <filesystem>

#include "engines/cpu/read_bandwidth.h"
#include "engines/decoding/host_round_decoder.h"
#include "engines/decoding/plain_decoder.h"
#include "engines/drafters/drafters.h"
#include "engines/factory/drafter_store.h"
#include "engines/factory/machine_info.h"
#include "engines/factory/model_maker.h"
#include "engines/families/catalogue.h"
#include "engines/interface/drafter_checks.h"
#include "engines/interface/engines.h"
#include "engines/interface/interface_number.h"
#include "engines/interface/names.h"
#include "engines/search/beam_search.h"
#include "engines/search/contrastive_search.h"
#include "engines/search/search_checks.h"
#include "engines/templates/chat_template.h"
#include "engines/training/train_drafter.h"
#include "engines/verifiers/verifier.h"
#if SPECLAB_HAVE_CUDA
#include "engines/cuda/device_round_decoder.h"
#include "engines/sampling/stop_rules.h"
#endif
#include "sim/system/errors.h"
#include "sim/system/versions.h"

namespace speclab::engines {
namespace {

/// Rules about ends know their tokens from the stop options or the tokenizer. Where ends are
/// ignored, none is forced.
DecoderOptions with_eos_tokens(DecoderOptions options, const Tokenizer* tokenizer) {
  TextRules& rules = options.sampling.rules;
  if (options.stop.ignore_eos) {
    rules.forced_bos_token_id.reset();
    rules.forced_eos_token_ids.clear();
  }
  const bool needs_ends = options.sampling.min_length > 0 || rules.min_new_tokens > 0 ||
                          !rules.bad_words_ids.empty() || rules.exponential_decay_length_penalty;
  if (!needs_ends || !options.sampling.eos_token_ids.empty()) return options;
  StopOptions heeding = options.stop;
  heeding.ignore_eos = false;
  options.sampling.eos_token_ids = ends_of(heeding, tokenizer);
  return options;
}

/// Whether a model of the catalogue has yet to be fetched.
bool is_missing(const CatalogueEntry& entry) {
  std::error_code none;
  return !entry.shape && !std::filesystem::exists(entry.path, none);
}

class LocalEngines final : public Engines {
 public:
  std::vector<KnownModel> known_models() const override {
    std::vector<KnownModel> known;
    for (const CatalogueEntry& entry : model_catalogue())
      known.push_back({entry.name, entry.description, is_missing(entry) ? entry.fetched_by : "",
                       newest_version(entry.path)});
    return known;
  }

  LoadedModel load_model(const ModelOptions& options) override {
    const ModelSource source = open_target(options);
    std::unique_ptr<LanguageModel> model = maker_.language_model(source);
    return {std::move(model), source.tokenizer, source.tokenizer_problem};
  }

  InspectedModel inspect_model(const ModelOptions& options) override {
    const ModelSource source = open_target(options);
    return {maker_.description(source), source.tokenizer, source.tokenizer_problem};
  }

  std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& model) override {
    return open_tokenizer(model);
  }

  std::vector<StoredWeights> stored_weights(const std::string& model) override {
    return engines::stored_weights(model);
  }

  std::string render_chat_template(const std::string& source, const std::string& file,
                                   const ChatRequest& request) const override {
    return render_chat({{"default", source, file}}, {}, request);
  }

  std::unique_ptr<RoundDecoder> make_decoder(LanguageModel& target,
                                             std::shared_ptr<const Tokenizer> tokenizer,
                                             const DecoderOptions& asked) override {
    const DecoderOptions options = completed(asked, target.info(), tokenizer.get());
    if (maker_.options().rounds == "device")
      return make_device_decoder(target, std::move(tokenizer), options);
    if (options.drafter.kind == "plain") {
      check_drafter_options(options.drafter);
      return std::make_unique<PlainDecoder>(target, std::move(tokenizer), options);
    }
    DraftersOfTarget models(drafters_, target.info(), tokenizer);
    auto drafter = make_drafter(options, target.info(), models);
    return std::make_unique<HostRoundDecoder>(target, std::move(tokenizer), options,
                                              std::move(drafter), make_verifier(options));
  }

  SearchRecord search(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
                      const DecoderOptions& asked, const Request& request,
                      const std::function<void()>& check) override {
    SPECLAB_EXPECT(asked.search, "a search has its part of the options");
    const DecoderOptions options = completed(asked, target.info(), tokenizer.get());
    if (options.search->num_beams == 1)
      return ContrastiveSearch(target, std::move(tokenizer), options).run(request, check);
    const std::shared_ptr<Chance> chance = chance_of(options);
    DraftersOfTarget models(drafters_, target.info(), tokenizer);
    return BeamSearch(target, tokenizer, options, *chance,
                      make_beam_drafter(options, request.prompt_ids.size(), target.info(), models))
        .run(request, check);
  }

  void train(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer,
             const std::string& target_model, const TrainOptions& options,
             const TrainCallbacks& callbacks) override {
    train_drafter(target, tokenizer, target_model, options, callbacks);
  }

  void train_language_model(const TrainOptions& options, const TrainCallbacks& callbacks) override {
    engines::train_language_model(options, callbacks);
  }

  std::optional<ModelInfo> drafter_info(const DrafterOptions& options) override {
    return drafters_.info(options);
  }

  std::vector<double> law(const SamplingOptions& options, std::span<const double> logits,
                          std::span<const Token> previous_ids) const override {
    BasicLaw<double> law;
    BasicLogitsPipeline<double>(options).law(logits, previous_ids, law);
    std::vector<double> probabilities(logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i) probabilities[i] = law[static_cast<Token>(i)];
    return probabilities;
  }

  MachineInfo machine_info() const override { return describe_machine(maker_.num_threads()); }

  std::unique_ptr<DeviceMonitor> device_monitor() override { return maker_.device_monitor(); }

  std::unique_ptr<EnergyMeter> energy_meter() override { return maker_.energy_meter(); }

  double measure_read_bandwidth(std::int64_t bytes, int passes) override {
    return cpu::read_bandwidth(*maker_.team(), bytes, passes);
  }

 private:
  ModelSource open_target(const ModelOptions& options) {
    maker_.set_options(options);
    ModelSource source = open_model(options.model);
    if (!options.name.empty()) source.config.name = options.name;
    if (source.config.is_feature_transformer())
      throw ConfigError(
          fmt::format("model '{}' drafts from another model's hidden states; allowed: a model by "
                      "itself; give it as --drafter-model",
                      escaped(options.model)));
    return source;
  }

  /// The options with the ends that rules need, and with the threads of a target that has them.
  DecoderOptions completed(const DecoderOptions& asked, const ModelInfo& target,
                           const Tokenizer* tokenizer) {
    DecoderOptions options = with_eos_tokens(asked, tokenizer);
    if (target.device == "cpu" && maker_.options().kernels != "reference")
      options.sampling.team = maker_.team();
    return options;
  }

  std::unique_ptr<RoundDecoder> make_device_decoder(
      [[maybe_unused]] LanguageModel& target,
      [[maybe_unused]] std::shared_ptr<const Tokenizer> tokenizer, const DecoderOptions& options) {
    check_drafter_options(options.drafter);
    if (target.info().device != "cuda" || maker_.options().kernels == "reference")
      throw ConfigError(fmt::format(
          "rounds 'device' for a model on device '{}' with kernels '{}'; allowed: --device cuda "
          "with --kernels auto, or --rounds host",
          target.info().device, maker_.options().kernels));
#if SPECLAB_HAVE_CUDA
    cuda::DeviceRoundDecoder::check(options);
    refuse_bridge(target, tokenizer, options);
    cuda::DeviceDrafter drafter = device_drafter(target.info(), tokenizer, options);
    return std::make_unique<cuda::DeviceRoundDecoder>(target, std::move(tokenizer), options,
                                                      std::move(drafter));
#else
    throw ContractError("a model on a device that this build has not");
#endif
  }

#if SPECLAB_HAVE_CUDA
  cuda::DeviceDrafter device_drafter(const ModelInfo& target,
                                     const std::shared_ptr<const Tokenizer>& tokenizer,
                                     const DecoderOptions& options) {
    const DrafterOptions& drafter = options.drafter;
    if (!drafter.traits().drafts()) return {};
    DraftersOfTarget models(drafters_, target, tokenizer);
    if (!drafter.traits().reads_transformer())
      return {.on_host = make_drafter(options, target, models)};
    const auto model = fitting_transformer(drafter, target, models);
    if (model != drafters_.transformer(drafter.kind, drafter.model).model)
      throw ConfigError(
          fmt::format("rounds 'device' with drafter '{}', whose vocabulary is padded to the "
                      "target's {} tokens; "
                      "allowed: equal vocabularies, or --rounds host",
                      escaped(model->info().name), target.vocab_size));
    return {.model = model};
  }
#endif

  void refuse_bridge(LanguageModel& target, const std::shared_ptr<const Tokenizer>& tokenizer,
                     const DecoderOptions& options) {
    if (!options.drafter.traits().reads_language_model()) return;
    const auto bridged = DraftersOfTarget(drafters_, target.info(), tokenizer).bridged(options);
    if (bridged)
      throw ConfigError(fmt::format(
          "rounds 'device' with the bridge {} to another tokenizer; allowed: --rounds host",
          bridged->bridge.kind));
  }

  ModelMaker maker_;
  DrafterStore drafters_{maker_};
};

}  // namespace
}  // namespace speclab::engines

extern "C" __attribute__((visibility("default"))) speclab::engines::Engines*
speclab_make_engines() {
  return new speclab::engines::LocalEngines();
}

extern "C" __attribute__((visibility("default"))) std::uint64_t speclab_engines_interface() {
  return speclab::engines::kInterfaceNumber;
}
