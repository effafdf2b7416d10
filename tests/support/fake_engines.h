#pragma once
// Engines without a model: text that depends on prompt, seed and temperature alone, acceptance and
// times by arithmetic.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engines/interface/engines.h"

namespace speclab::testing {

/// What a test may want to know or change.
struct FakeEnginesState {
  std::string sha256 = "fa4e";  ///< of every model
  std::string dtype = "float32";
  int context_length = 4096;
  int drafter_context_length = 4096;  ///< of drafters that are models
  std::int64_t draft_ns = 1'000'000;  ///< of a level
  std::vector<double> law{};          ///< of every token; uniform if empty
  std::function<DeviceSample()>
      device{};  ///< what a device tells of itself; the processor if empty
  std::function<std::optional<double>()>
      joules{};                       ///< what a meter has counted so far; no meter if empty
  std::optional<BridgeUse> bridge{};  ///< of every drafter
  int num_generations = 0;            ///< begun so far
  int num_decoders = 0;               ///< that live
  std::function<void()> on_generation = [] {};
  std::function<void(std::uint32_t)> on_sequence = [](std::uint32_t) {
  };  ///< a generation of this sequence begins
  std::function<void()> on_round = [] {};
  std::function<void()> on_allocation = [] {
  };  ///< a decoder, a generation or a round asks for memory
  /// The training of a drafter, as it was asked for.
  std::function<void(const engines::TrainOptions&, const engines::TrainCallbacks&)> on_train{};
};

class FakeEngines final : public engines::Engines {
 public:
  explicit FakeEngines(std::shared_ptr<FakeEnginesState> state) : state_(std::move(state)) {}

  std::vector<engines::KnownModel> known_models() const override { return {{"fake", "no model"}}; }
  /// Any name but "missing"; shape models have random weights. The tokenizer of "opens_texts" puts
  /// two tokens before every text.
  engines::LoadedModel load_model(const engines::ModelOptions& options) override;
  engines::InspectedModel inspect_model(const engines::ModelOptions& options) override {
    const engines::LoadedModel loaded = load_model(options);
    return {loaded.model->info(), loaded.tokenizer};
  }
  std::shared_ptr<const engines::Tokenizer> load_tokenizer(const std::string& model) override;
  std::vector<engines::StoredWeights> stored_weights(const std::string&) override { return {}; }
  std::string render_chat_template(const std::string& source, const std::string&,
                                   const engines::ChatRequest&) const override {
    return source;
  }
  std::unique_ptr<engines::RoundDecoder> make_decoder(
      engines::LanguageModel& target, std::shared_ptr<const engines::Tokenizer> tokenizer,
      const engines::DecoderOptions& options) override;
  /// Gives as many texts of full length as were asked for, with a step a token.
  engines::SearchRecord search(engines::LanguageModel&, std::shared_ptr<const engines::Tokenizer>,
                               const engines::DecoderOptions& options,
                               const engines::Request& request,
                               const std::function<void()>& check) override;
  std::optional<engines::ModelInfo> drafter_info(const engines::DrafterOptions& options) override;
  void train(engines::LanguageModel&, std::shared_ptr<const engines::Tokenizer>, const std::string&,
             const engines::TrainOptions&, const engines::TrainCallbacks&) override;
  void train_language_model(const engines::TrainOptions&, const engines::TrainCallbacks&) override;
  std::vector<double> law(const engines::SamplingOptions&, std::span<const double> logits,
                          std::span<const Token>) const override {
    if (!state_->law.empty()) return state_->law;
    return std::vector<double>(logits.size(), 1.0 / static_cast<double>(logits.size()));
  }
  engines::MachineInfo machine_info() const override {
    return {"a made-up machine", 2, "none", "none", "none", "none"};
  }
  std::unique_ptr<engines::DeviceMonitor> device_monitor() override;
  std::unique_ptr<engines::EnergyMeter> energy_meter() override;
  double measure_read_bandwidth(std::int64_t, int) override { return 2e10; }

 private:
  std::shared_ptr<FakeEnginesState> state_;
};

}  // namespace speclab::testing
