#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>

#include "engines/decoding/host_round_decoder.h"
#include "engines/decoding/plain_decoder.h"
#include "engines/device_monitor/nvml_monitor.h"
#include "engines/drafters/drafters.h"
#include "engines/factory/machine_info.h"
#include "engines/interface/engines.h"
#include "engines/interface/names.h"
#include "engines/models/catalogue.h"
#include "engines/models/cpu/decoder_cpu.h"
#include "engines/models/cpu/mlp_speculator_cpu.h"
#include "engines/models/cpu/read_bandwidth.h"
#include "engines/models/memory_need.h"
#include "engines/models/resized_vocabulary.h"
#include "engines/models/torch/decoder_torch.h"
#include "engines/ngrams/ngram_file.h"
#include "engines/tokenizers/chat_template.h"
#include "engines/tokenizers/same_vocabulary.h"
#include "engines/training/language_model.h"
#include "engines/training/train_drafter.h"
#include "engines/training/training_record.h"
#include "engines/verifiers/verifier.h"
#if SPECLAB_HAVE_CUDA
#include "engines/cuda/device_round_decoder.h"
#include "engines/cuda/llama_cuda.h"
#endif
#include "sim/core/errors.h"
#include "sim/core/sha256.h"

namespace speclab::engines {
namespace {

/// "auto" is bfloat16: a step waits for the bytes of its weights, and widening keeps up with them
/// even with SSE2 (1 and 8 rows of a product in 0.4 and 0.9 of float32's time; 0.55 and 0.7 with
/// AVX2).
cpu::ElementType element_type(const std::string& dtype) {
  return dtype == "float32" ? cpu::ElementType::float32 : cpu::ElementType::bfloat16;
}

void check_named(const char* option, const std::string& value,
                 const std::vector<std::string>& allowed) {
  if (!is_among(value, allowed))
    throw ConfigError(
        fmt::format("{} '{}'; allowed: {}", option, escaped(value), fmt::join(allowed, ", ")));
}

void check_options(const ModelOptions& options) {
  check_named("device", options.device, {"auto", "cpu", "cuda"});
  check_named("arithmetic", options.arithmetic, {"fast", "row_invariant"});
  check_named("dtype", options.dtype, {"auto", "float32", "bfloat16"});
  check_named("kernels", options.kernels, {"auto", "reference"});
  check_named("rounds", options.rounds, {"host", "device"});
  if (options.threads < 0 || options.threads > 4096)
    throw ConfigError(fmt::format("threads = {}; allowed: 0 (all) to 4096", options.threads));
}

bool runs_on_cuda([[maybe_unused]] const DecoderShape& config) {
#if SPECLAB_HAVE_CUDA
  return cuda::device_is_there() && !cuda::DeviceLlama::lacking(config);
#else
  return false;
#endif
}

/// "auto" is CUDA where the engine for it is built, a device answers, its bfloat16 is not refused
/// and it has the model's sizes, else the CPU.
std::string resolved_device(const ModelOptions& options, const DecoderShape& config) {
  if (options.device != "auto") return options.device;
  return options.dtype != "float32" && runs_on_cuda(config) ? "cuda" : "cpu";
}

/// What min_length forbids is the tokenizer's to say.
DecoderOptions with_eos_tokens(DecoderOptions options, const Tokenizer* tokenizer) {
  if (options.sampling.min_length == 0 || !options.sampling.eos_token_ids.empty() ||
      tokenizer == nullptr)
    return options;
  for (Token token = 0; token < tokenizer->vocab_size(); ++token)
    if (tokenizer->is_end_of_sequence(token)) options.sampling.eos_token_ids.push_back(token);
  return options;
}

/// Whether a model of the catalogue has yet to be fetched.
bool is_missing(const CatalogueEntry& entry) {
  std::error_code none;
  return !entry.shape && !std::filesystem::exists(entry.path, none);
}

class LocalEngines final : public Engines, private DrafterModels {
 public:
  std::vector<KnownModel> known_models() const override {
    std::vector<KnownModel> known;
    for (const CatalogueEntry& entry : model_catalogue())
      known.push_back({entry.name, entry.description, is_missing(entry) ? entry.fetched_by : ""});
    return known;
  }

  LoadedModel load_model(const ModelOptions& options) override {
    const ModelSource source = open_target(options);
    std::unique_ptr<LanguageModel> model = make_model(source);
    return {std::move(model), source.tokenizer, source.tokenizer_problem};
  }

  InspectedModel inspect_model(const ModelOptions& options) override {
    const ModelSource source = open_target(options);
    return {description(source), source.tokenizer, source.tokenizer_problem};
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
    const DecoderOptions options = with_eos_tokens(asked, tokenizer.get());
    if (options_.rounds == "device")
      return make_device_decoder(target, std::move(tokenizer), options);
    if (options.drafter.kind == "plain") {
      check_drafter_options(options.drafter);
      return std::make_unique<PlainDecoder>(target, std::move(tokenizer), options);
    }
    pair_ = {tokenizer, &target.info()};
    auto drafter = make_drafter(options, target.info(), *this);
    pair_ = {};
    return std::make_unique<HostRoundDecoder>(target, std::move(tokenizer), options,
                                              std::move(drafter), make_verifier(options));
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
    std::optional<ModelInfo> info = model_info(options);
    if (info)
      info->training = read_training_record(model_path(model_name(options.kind, options.model)));
    return info;
  }

  std::vector<std::string> drafter_kinds() const override { return engines::drafter_kinds(); }
  std::vector<std::string> verifier_kinds() const override { return engines::verifier_kinds(); }

  std::vector<double> law(const SamplingOptions& options, std::span<const double> logits,
                          std::span<const Token> previous_ids) const override {
    BasicLaw<double> law;
    BasicLogitsPipeline<double>(options).law(logits, previous_ids, law);
    std::vector<double> probabilities(logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i) probabilities[i] = law[static_cast<Token>(i)];
    return probabilities;
  }

  MachineInfo machine_info() const override {
    return describe_machine(options_.threads > 0 ? options_.threads : cpu::default_num_threads());
  }

  std::unique_ptr<DeviceMonitor> device_monitor() override {
#if SPECLAB_HAVE_CUDA
    if (cuda_device_)
      if (auto nvml = open_nvml())
        return make_nvml_monitor(*std::move(nvml), cuda_device_->pci_bus_id());
#endif
    return nullptr;
  }

  double measure_read_bandwidth(std::int64_t bytes, int passes) override {
    return cpu::read_bandwidth(*team(), bytes, passes);
  }

 private:
  ModelSource open_target(const ModelOptions& options) {
    check_options(options);
    options_ = options;
    ModelSource source = open_model(options.model);
    if (!options.name.empty()) source.config.name = options.name;
    if (source.config.is_feature_transformer())
      throw ConfigError(
          fmt::format("model '{}' drafts from another model's hidden states; allowed: a model by "
                      "itself; give it as --drafter-model",
                      escaped(options.model)));
    return source;
  }

  /// What make_model's model would tell of itself.
  ModelInfo description(const ModelSource& source) {
    const std::string device = resolved_device(options_, source.config);
    if (options_.kernels == "reference")
      return DecoderTorch::describe(source.config, *source.weights,
                                    options_.device == "cuda" ? "cuda" : "cpu", dtype());
    if (device == "cuda") return cuda_description(source);
    return cpu::DecoderCpu::describe(source.config, *source.weights, element_type(options_.dtype));
  }

  ModelInfo cuda_description(const ModelSource& source) {
    ModelInfo info =
        cpu::DecoderCpu::describe(source.config, *source.weights, cpu::ElementType::bfloat16);
    reach_cuda(source.config);
    info.device = "cuda";
    info.family = "llama";
#if SPECLAB_HAVE_CUDA
    info.kernels = "speclab, " + cuda_device_->name();
#endif
    return info;
  }

  /// @throws DeviceError if there is no device, or it does not run this model
  void reach_cuda([[maybe_unused]] const DecoderShape& shape) {
    if (options_.dtype == "float32")
      throw DeviceError(
          "dtype 'float32' on device 'cuda': its kernels are bfloat16; allowed: auto, bfloat16; or "
          "use --device cpu");
#if SPECLAB_HAVE_CUDA
    if (!cuda_device_) cuda_device_ = std::make_shared<cuda::Device>();
    if (const auto lacks = cuda::DeviceLlama::lacking(shape))
      throw DeviceError("device 'cuda': " + *lacks + "; use --device cpu");
#else
    throw DeviceError(
        "device 'cuda': this build has no CUDA engine, because nvcc was missing; use --device cpu, "
        "or install the CUDA toolkit and build again");
#endif
  }

  std::optional<ModelInfo> model_info(const DrafterOptions& options) {
    if (is_among(options.kind, kTransformerDrafterKinds))
      return drafter_model(options.kind, options.model).model->info();
    if (options.kind == "mlp_speculator") return mlp_speculator(options.model)->info();
    if (!is_among(options.kind, kNgramDrafterKinds)) return std::nullopt;
    const auto model = ngrams(options.kind, options.model);
    ModelInfo info;
    info.name = ngram_file(model_name(options.kind, options.model));
    info.family = "ngram";
    info.sha256 = sha256_file(info.name);
    info.vocab_size = model->vocab_size();
    info.num_parameters = model->num_ngrams();
    return info;
  }

  /// One team for all models: they never run at the same time.
  std::shared_ptr<cpu::ThreadTeam> team() {
    const int wanted = options_.threads > 0 ? options_.threads : cpu::default_num_threads();
    if (!team_ || team_->size() != wanted) team_ = std::make_shared<cpu::ThreadTeam>(wanted);
    return team_;
  }

  std::unique_ptr<LanguageModel> make_model(const ModelSource& source) {
    const std::string device = resolved_device(options_, source.config);
    const bool is_reference = options_.kernels == "reference";
    if (device == "cuda" && !is_reference) return make_cuda_model(source);
    if (device != "cuda") require_memory_for(source);
    if (is_reference) return make_reference_model(source);
    return std::make_unique<cpu::DecoderCpu>(source.config, *source.weights,
                                             element_type(options_.dtype), team());
  }

  void require_memory_for(const ModelSource& source) {
    const std::int64_t needed =
        options_.kernels == "reference"
            ? DecoderTorch::bytes_to_load(source.config, *source.weights, dtype())
            : cpu::DecoderCpu::bytes_to_load(source.config, *source.weights,
                                             element_type(options_.dtype), team()->size());
    require_memory(source.config.name, needed, dtype(), available_memory());
  }

  /// "auto" is the CPU in the kernels' type; on a GPU the whole of torch runs there.
  std::unique_ptr<LanguageModel> make_reference_model(const ModelSource& source) const {
    return std::make_unique<DecoderTorch>(source.config, *source.weights,
                                          options_.device == "cuda" ? "cuda" : "cpu", dtype());
  }

  /// "auto" is bfloat16.
  std::string dtype() const { return options_.dtype == "float32" ? "float32" : "bfloat16"; }

  std::unique_ptr<LanguageModel> make_cuda_model([[maybe_unused]] const ModelSource& source) {
    reach_cuda(source.config);
#if SPECLAB_HAVE_CUDA
    return std::make_unique<cuda::LlamaCuda>(source.config, *source.weights, cuda_device_);
#else
    throw ContractError("a device that this build has not");
#endif
  }

  std::unique_ptr<RoundDecoder> make_device_decoder(
      [[maybe_unused]] LanguageModel& target,
      [[maybe_unused]] std::shared_ptr<const Tokenizer> tokenizer, const DecoderOptions& options) {
    check_drafter_options(options.drafter);
    if (target.info().device != "cuda" || options_.kernels == "reference")
      throw ConfigError(fmt::format(
          "rounds 'device' for a model on device '{}' with kernels '{}'; allowed: --device cuda "
          "with --kernels auto, or --rounds host",
          target.info().device, options_.kernels));
#if SPECLAB_HAVE_CUDA
    const std::shared_ptr<LanguageModel> drafter =
        options.drafter.kind == "small_transformer"
            ? drafter_model(options.drafter.kind, options.drafter.model).model
            : nullptr;
    return std::make_unique<cuda::DeviceRoundDecoder>(target, std::move(tokenizer), options,
                                                      drafter);
#else
    throw ContractError("a model on a device that this build has not");
#endif
  }

  std::shared_ptr<LanguageModel> language_model(const std::string& kind,
                                                const std::string& model) override {
    SPECLAB_EXPECT(is_among(kind, kTransformerDrafterKinds),
                   "a drafter that reads a transformer, not " + kind);
    LoadedDrafter& drafter = drafter_model(kind, model);
    if (!pair_.target) return drafter.model;
    return fitted(drafter, model_name(kind, model));
  }

  /// A model that drafters read, and what it looks like to a target with another padding.
  struct LoadedDrafter {
    std::shared_ptr<LanguageModel> model;
    std::shared_ptr<const Tokenizer> tokenizer;  ///< null where the model has none
    std::string tokenizer_problem{};             ///< why the one that it has cannot be read
    std::map<std::int32_t, std::shared_ptr<LanguageModel>> resized{};  ///< by size of vocabulary
  };

  LoadedDrafter& drafter_model(const std::string& kind, const std::string& model) {
    const std::string name = model_name(kind, model);
    LoadedDrafter& loaded = models_[name];
    if (!loaded.model) {
      const ModelSource source = open_draft_model(name);
      loaded = {make_model(source), source.tokenizer, source.tokenizer_problem};
    }
    return loaded;
  }

  /// The drafter as the target needs it. Sizes may differ where the tokenizers say that ids agree.
  /// @throws ModelFileError if the target's text has a tokenizer and the drafter's cannot be read
  std::shared_ptr<LanguageModel> fitted(LoadedDrafter& drafter, const std::string& name) {
    const ModelInfo &info = drafter.model->info(), &target = *pair_.target;
    if (pair_.tokenizer && !drafter.tokenizer_problem.empty())
      throw ModelFileError(drafter.tokenizer_problem);
    if (!drafter.tokenizer || !pair_.tokenizer) return drafter.model;
    check_same_vocabulary({*drafter.tokenizer, name}, {*pair_.tokenizer, target.name});
    if (info.vocab_size == target.vocab_size || !info.draft_vocabulary.empty())
      return drafter.model;
    std::shared_ptr<LanguageModel>& resized = drafter.resized[target.vocab_size];
    if (!resized) resized = with_vocabulary_size(drafter.model, target.vocab_size);
    return resized;
  }

  std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string& model) override {
    const std::string name = model_name("mlp_speculator", model);
    std::shared_ptr<MlpSpeculator>& loaded = mlp_speculators_[name];
    if (!loaded) {
      const MlpSpeculatorSource source = open_mlp_speculator(name);
      loaded = std::make_shared<cpu::MlpSpeculatorCpu>(source.config, *source.weights,
                                                       element_type(options_.dtype), team());
    }
    return loaded;
  }

  std::shared_ptr<const NgramModel> ngrams(const std::string& kind,
                                           const std::string& model) override {
    const std::string path = model_name(kind, model);
    std::shared_ptr<const NgramModel>& loaded = ngrams_[path];
    if (!loaded) loaded = std::make_shared<NgramModel>(load_ngrams(path));
    return loaded;
  }

  /// What a drafter of that kind reads: the project's own where none is named.
  static std::string model_name(const std::string& kind, const std::string& model) {
    if (!model.empty()) return model;
    if (kind == "mlp_speculator") return "smollm2-mlp";
    if (is_among(kind, kTransformerDrafterKinds))
      return kind == "small_transformer" ? "smollm2-drafter" : "smollm2-feature";
    return project_models_folder() + "/smollm2-" +
           (kind == "unigram" || kind == "bigram" ? kind : "5gram");
  }

  ModelOptions options_;
  std::shared_ptr<cpu::ThreadTeam> team_;
#if SPECLAB_HAVE_CUDA
  std::shared_ptr<const cuda::Device> cuda_device_;
#endif
  std::map<std::string, LoadedDrafter> models_;
  /// The pair of the decoder that is being made.
  struct Pair {
    std::shared_ptr<const Tokenizer> tokenizer{};
    const ModelInfo* target = nullptr;
  };
  Pair pair_;
  std::map<std::string, std::shared_ptr<MlpSpeculator>> mlp_speculators_;
  std::map<std::string, std::shared_ptr<const NgramModel>> ngrams_;
};

}  // namespace
}  // namespace speclab::engines

extern "C" __attribute__((visibility("default"))) speclab::engines::Engines*
speclab_make_engines() {
  return new speclab::engines::LocalEngines();
}
