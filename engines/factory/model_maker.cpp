#include "engines/factory/model_maker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engines/device_monitor/nvml_monitor.h"
#include "engines/interface/names.h"
#include "engines/models/cpu/decoder_cpu.h"
#include "engines/models/cpu/mlp_speculator_cpu.h"
#include "engines/models/memory_need.h"
#include "engines/models/torch/decoder_torch.h"
#if SPECLAB_HAVE_CUDA
#include "engines/cuda/device_llama.h"
#include "engines/cuda/llama_cuda.h"
#endif
#include "sim/core/errors.h"

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

}  // namespace

void ModelMaker::set_options(const ModelOptions& options) {
  check_options(options);
  options_ = options;
}

std::unique_ptr<LanguageModel> ModelMaker::language_model(const ModelSource& source) {
  const std::string device = resolved_device(options_, source.config);
  const bool is_reference = options_.kernels == "reference";
  if (device == "cuda" && !is_reference) return cuda_model(source);
  if (device != "cuda") require_memory_for(source);
  if (is_reference) return reference_model(source);
  return std::make_unique<cpu::DecoderCpu>(source.config, *source.weights,
                                           element_type(options_.dtype), team());
}

std::shared_ptr<MlpSpeculator> ModelMaker::mlp_speculator(const MlpSpeculatorSource& source) {
  return std::make_shared<cpu::MlpSpeculatorCpu>(source.config, *source.weights,
                                                 element_type(options_.dtype), team());
}

/// "auto" is the CPU in the kernels' type; on a GPU the whole of torch runs there.
std::unique_ptr<LanguageModel> ModelMaker::reference_model(const ModelSource& source) const {
  return std::make_unique<DecoderTorch>(source.config, *source.weights,
                                        options_.device == "cuda" ? "cuda" : "cpu", dtype());
}

std::unique_ptr<LanguageModel> ModelMaker::cuda_model([[maybe_unused]] const ModelSource& source) {
  reach_cuda(source.config);
#if SPECLAB_HAVE_CUDA
  return std::make_unique<cuda::LlamaCuda>(source.config, *source.weights, cuda_device_);
#else
  throw ContractError("a device that this build has not");
#endif
}

ModelInfo ModelMaker::description(const ModelSource& source) {
  const std::string device = resolved_device(options_, source.config);
  if (options_.kernels == "reference")
    return DecoderTorch::describe(source.config, *source.weights,
                                  options_.device == "cuda" ? "cuda" : "cpu", dtype());
  if (device == "cuda") return cuda_description(source);
  return cpu::DecoderCpu::describe(source.config, *source.weights, element_type(options_.dtype));
}

ModelInfo ModelMaker::cuda_description(const ModelSource& source) {
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

void ModelMaker::reach_cuda([[maybe_unused]] const DecoderShape& shape) {
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

void ModelMaker::require_memory_for(const ModelSource& source) {
  const std::int64_t needed =
      options_.kernels == "reference"
          ? DecoderTorch::bytes_to_load(source.config, *source.weights, dtype())
          : cpu::DecoderCpu::bytes_to_load(source.config, *source.weights,
                                           element_type(options_.dtype), team()->size());
  require_memory(source.config.name, needed, dtype(), available_memory());
}

/// "auto" is bfloat16.
std::string ModelMaker::dtype() const {
  return options_.dtype == "float32" ? "float32" : "bfloat16";
}

std::int32_t ModelMaker::num_threads() const {
  return options_.threads > 0 ? options_.threads : cpu::default_num_threads();
}

std::shared_ptr<cpu::ThreadTeam> ModelMaker::team() {
  const int wanted = num_threads();
  if (!team_ || team_->size() != wanted) team_ = std::make_shared<cpu::ThreadTeam>(wanted);
  return team_;
}

std::unique_ptr<DeviceMonitor> ModelMaker::device_monitor() const {
#if SPECLAB_HAVE_CUDA
  if (cuda_device_)
    if (auto nvml = open_nvml())
      return make_nvml_monitor(*std::move(nvml), cuda_device_->pci_bus_id());
#endif
  return nullptr;
}

}  // namespace speclab::engines
