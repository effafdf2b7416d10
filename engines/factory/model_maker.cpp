#include "engines/factory/model_maker.h"

#include <fmt/format.h>

#include "engines/cpu/decoder_cpu.h"
#include "engines/cpu/form_probe.h"
#include "engines/cpu/matrix_forms.h"
#include "engines/cpu/mlp_speculator_cpu.h"
#include "engines/device/energy_meters.h"
#include "engines/device/nvml_monitor.h"
#include "engines/models/memory_need.h"
#include "engines/reference/decoder_torch.h"
#if SPECLAB_HAVE_CUDA
#include "engines/cuda/device_llama.h"
#include "engines/cuda/kv_cache_cuda.h"
#include "engines/cuda/llama_cuda.h"
#endif
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

/// "auto" is bfloat16: a step waits for the bytes of its weights, and widening keeps up with them
/// even with SSE2 (1 and 8 rows of a product in 0.4 and 0.9 of float32's time; 0.55 and 0.7 with
/// AVX2). Low-bit weights stand beside tensors in bfloat16.
cpu::ElementType element_type(const std::string& dtype) {
  return dtype == "float32" ? cpu::ElementType::float32 : cpu::ElementType::bfloat16;
}

cpu::ProductKind product_kind(const ModelOptions& options) {
  if (options.activations == "int8") return cpu::ProductKind::int8;
  return is_inexact(options) ? cpu::ProductKind::bfloat16 : cpu::ProductKind::exact;
}

/// Whether any matrix of the model is held in a low-bit form.
bool keeps_any(const ModelSource& source, const cpu::NumberForms& numbers) {
  return !cpu::MatrixForms(source.config, *source.weights, numbers).described().empty();
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
  const bool fits_cuda = options.dtype != "float32" && !needs_cpu_kernels(options);
  return fits_cuda && runs_on_cuda(config) ? "cuda" : "cpu";
}

}  // namespace

void ModelMaker::set_options(const ModelOptions& options) {
  check_model_options(options);
  options_ = options;
}

std::unique_ptr<LanguageModel> ModelMaker::language_model(const ModelSource& source, Part part) {
  const std::string device = resolved_device(options_, source.config);
  const bool is_reference = options_.kernels == "reference";
  if (device == "cuda" && !is_reference) return cuda_model(source, part);
  if (!is_reference) return cpu_model(source, part);
  if (device != "cuda") require_memory_for(source, element_type(options_.dtype));
  return reference_model(source);
}

std::unique_ptr<LanguageModel> ModelMaker::cpu_model(const ModelSource& source, Part part) {
  const cpu::NumberForms numbers = numbers_for(source, part);
  require_memory_for(source, numbers);
  return std::make_unique<cpu::DecoderCpu>(source.config, *source.weights, numbers, team());
}

bool ModelMaker::has_memory_for(const ModelSource& source, const cpu::NumberForms& numbers) {
  const std::optional<std::int64_t> available = available_memory();
  return !available || bytes_to_load(source, numbers) <= *available;
}

/// "auto" has the numbers of bfloat16. A probe decides which of them come from the file's low-bit
/// weights, unless those fit into caches anyway. Kernels that expand slowly never stream low-bit
/// weights.
cpu::NumberForms ModelMaker::auto_numbers(const ModelSource& source) {
  constexpr std::int64_t kCachedBytes = std::int64_t{8} << 20;
  const cpu::NumberForms fastest(cpu::WeightChoice::fastest, cpu::ProductKind::exact);
  if ((is_streamed(options_) && !cpu::best_kernels()->expands_fast) ||
      !keeps_any(source, fastest) ||
      cpu::DecoderCpu::describe(source.config, *source.weights, fastest).weight_bytes <
          kCachedBytes)
    return cpu::ElementType::bfloat16;
  if (is_streamed(options_) || !has_memory_for(source, fastest))
    return {cpu::WeightChoice::file, cpu::ProductKind::exact};
  return fastest;
}

/// A drafter whose file has no low-bit weights follows a target's as closely as it can: its own
/// laws are nobody's contract.
cpu::NumberForms ModelMaker::drafter_numbers(const ModelSource& source,
                                             cpu::NumberForms numbers) const {
  numbers.weights = cpu::WeightChoice::q8;
  if (is_inexact(options_) && keeps_any(source, numbers)) return numbers;
  return cpu::ElementType::bfloat16;
}

cpu::NumberForms ModelMaker::numbers_for(const ModelSource& source, Part part) {
  cpu::NumberForms numbers = resident_numbers_for(source, part);
  if (is_streamed(options_) && part == Part::target)
    numbers.resident_bytes = options_.resident_bytes;
  return numbers;
}

cpu::NumberForms ModelMaker::resident_numbers_for(const ModelSource& source, Part part) {
  using cpu::WeightChoice;
  if (options_.dtype == "float32" || options_.dtype == "bfloat16")
    return element_type(options_.dtype);
  if (options_.dtype == "auto" && !is_inexact(options_)) return auto_numbers(source);
  cpu::NumberForms numbers(options_.dtype == "q8" ? WeightChoice::q8 : WeightChoice::file,
                           product_kind(options_));
  if (options_.cache_dtype == "float32") numbers.cache = cpu::ElementType::float32;
  if (keeps_any(source, numbers)) return numbers;
  if (part == Part::drafter) return drafter_numbers(source, numbers);
  throw ConfigError(fmt::format(
      "dtype '{}', activations '{}': model '{}' has no weights to hold so; allowed: {}",
      options_.dtype, options_.activations, escaped(source.config.name),
      options_.dtype == "q8"  ? "a model with products whose depth is a multiple of 32"
      : is_streamed(options_) ? "a GGUF file with Q4_0 Q4_1 Q5_0 Q8_0 Q4_K Q6_K"
                              : "dtype q8, or a GGUF file with Q4_0 Q4_1 Q5_0 Q8_0 Q4_K Q6_K"));
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

std::unique_ptr<LanguageModel> ModelMaker::cuda_model([[maybe_unused]] const ModelSource& source,
                                                      [[maybe_unused]] Part part) {
  reach_cuda(source.config);
#if SPECLAB_HAVE_CUDA
  std::optional<std::int64_t> resident_bytes;
  if (is_streamed(options_) && part == Part::target) resident_bytes = options_.resident_bytes;
  return std::make_unique<cuda::LlamaCuda>(source.config, *source.weights, cuda_device_,
                                           resident_bytes);
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
  return cpu_description(source);
}

ModelInfo ModelMaker::cpu_description(const ModelSource& source) {
  const cpu::NumberForms numbers = numbers_for(source, Part::target);
  const cpu::CpuKernels* kernels = cpu::best_kernels();
  if (!cpu::keeps_one_form(numbers, *kernels))
    return cpu::DecoderCpu::describe(source.config, *source.weights, numbers, kernels);
  const cpu::FormChoice choice = cpu::choose_form(source.config, *source.weights, team(), kernels);
  ModelInfo info =
      cpu::DecoderCpu::describe(source.config, *source.weights, choice.numbers, kernels);
  info.speedup_of_int8 = choice.speedup_of_int8;
  return info;
}

ModelInfo ModelMaker::cuda_description(const ModelSource& source) {
  ModelInfo info =
      cpu::DecoderCpu::describe(source.config, *source.weights, cpu::ElementType::bfloat16);
  reach_cuda(source.config);
  info.device = "cuda";
  info.family = "llama";
#if SPECLAB_HAVE_CUDA
  const cuda::ResidentLayers resident =
      is_streamed(options_) ? cuda::ResidentLayers::within(source.config, options_.resident_bytes)
                            : cuda::ResidentLayers{source.config.num_layers, 0};
  info.kernels = resident.kernels(cuda_device_->name(), source.config);
  info.streamed_bytes = resident.streamed_bytes;
  info.cache_bytes_per_token = cuda::KvCacheCuda::bytes_per_token(source.config);
#endif
  return info;
}

void ModelMaker::reach_cuda([[maybe_unused]] const DecoderShape& shape) {
  if (options_.dtype == "float32" || needs_cpu_kernels(options_))
    throw DeviceError(
        fmt::format("dtype '{}', activations '{}' on device 'cuda', whose kernels are bfloat16; "
                    "allowed: dtype auto or bfloat16 with exact activations; or use --device cpu",
                    options_.dtype, options_.activations));
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

std::int64_t ModelMaker::bytes_to_load(const ModelSource& source, const cpu::NumberForms& numbers) {
  if (options_.kernels == "reference")
    return DecoderTorch::bytes_to_load(source.config, *source.weights, dtype());
  return cpu::DecoderCpu::bytes_to_load(source.config, *source.weights, numbers, team()->size());
}

void ModelMaker::require_memory_for(const ModelSource& source, const cpu::NumberForms& numbers) {
  require_memory(source.config.name, bytes_to_load(source, numbers), numbers.name(),
                 available_memory());
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

std::unique_ptr<EnergyMeter> ModelMaker::energy_meter() const {
  std::vector<std::unique_ptr<EnergyMeter>> meters;
  meters.push_back(make_rapl_meter(kPowercapFolder));
#if SPECLAB_HAVE_CUDA
  if (cuda_device_)
    if (auto nvml = open_nvml())
      meters.push_back(make_nvml_energy_meter(*std::move(nvml), cuda_device_->pci_bus_id()));
#endif
  return sum_of_meters(std::move(meters));
}

}  // namespace speclab::engines
