#pragma once
// Models of a source on the device, with the numbers and the kernels that the options ask for.

#include <cstdint>
#include <memory>

#include "engines/cpu/number_forms.h"
#include "engines/cpu/thread_team.h"
#include "engines/families/catalogue.h"
#include "engines/interface/device_monitor.h"
#include "engines/interface/engines.h"
#include "engines/interface/language_model.h"
#include "engines/interface/mlp_speculator.h"
#include "engines/interface/model_options.h"

namespace speclab::engines {

// The options of a model: what they ask for, and which go together.

/// Whether products round activations.
bool is_inexact(const ModelOptions& options);

/// Whether layers are read from the file at every forward.
bool is_streamed(const ModelOptions& options);

/// Whether only a CPU, with its own kernels, has these numbers.
bool needs_cpu_kernels(const ModelOptions& options);

/// @throws ConfigError naming an option that is unknown, out of range, or contradicts another one
void check_model_options(const ModelOptions& options);

namespace cuda {
class Device;
}

/// Holds the threads and the device that all models of a process share: they never run at the same
/// time.
class ModelMaker {
 public:
  /// @throws ConfigError naming an option with a value that is not allowed
  void set_options(const ModelOptions& options);
  const ModelOptions& options() const { return options_; }

  /// A target has the numbers that are asked for; a drafter comes as close to them as its file
  /// allows.
  enum class Part { target, drafter };
  /// @throws DeviceError without the device that is asked for, ConfigError without the memory or
  /// the numbers
  std::unique_ptr<LanguageModel> language_model(const ModelSource& source,
                                                Part part = Part::target);
  std::shared_ptr<MlpSpeculator> mlp_speculator(const MlpSpeculatorSource& source);
  /// The info of the model that language_model would make, without its weights.
  /// @throws DeviceError without the device that is asked for
  ModelInfo description(const ModelSource& source);

  std::int32_t num_threads() const;
  std::shared_ptr<cpu::ThreadTeam> team();
  /// Null if no model runs on a CUDA device, or the device tells nothing.
  std::unique_ptr<DeviceMonitor> device_monitor() const;
  /// Null if neither the processor nor a CUDA device that models run on tells its energy.
  std::unique_ptr<EnergyMeter> energy_meter() const;

 private:
  ModelInfo cpu_description(const ModelSource& source);
  ModelInfo cuda_description(const ModelSource& source);
  /// @throws DeviceError if there is no device, or it does not run this model
  void reach_cuda(const DecoderShape& shape);
  /// @throws ConfigError if the model cannot be loaded into the memory that is free
  void require_memory_for(const ModelSource& source, const cpu::NumberForms& numbers);
  bool has_memory_for(const ModelSource& source, const cpu::NumberForms& numbers);
  std::int64_t bytes_to_load(const ModelSource& source, const cpu::NumberForms& numbers);
  cpu::NumberForms auto_numbers(const ModelSource& source);
  /// @throws ConfigError if the options ask for low-bit weights of a model that has none
  cpu::NumberForms numbers_for(const ModelSource& source, Part part);
  cpu::NumberForms resident_numbers_for(const ModelSource& source, Part part);
  cpu::NumberForms drafter_numbers(const ModelSource& source, cpu::NumberForms numbers) const;
  std::unique_ptr<LanguageModel> cpu_model(const ModelSource& source, Part part);
  std::string dtype() const;
  std::unique_ptr<LanguageModel> reference_model(const ModelSource& source) const;
  std::unique_ptr<LanguageModel> cuda_model(const ModelSource& source, Part part);

  ModelOptions options_;
  std::shared_ptr<cpu::ThreadTeam> team_;
  std::shared_ptr<const cuda::Device> cuda_device_;
};

}  // namespace speclab::engines
