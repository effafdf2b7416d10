// Experts' weights into the order in which the kernels read them: tensors of all experts of a layer
// are cut into one matrix each.

#include "engines/cpu/decoder_cpu.h"
#include "engines/cpu/padding.h"

namespace speclab::engines::cpu {
namespace {

std::vector<float> copy_of_part(const std::vector<float>& values, std::int64_t part,
                                std::int64_t parts) {
  const std::size_t size = values.size() / static_cast<std::size_t>(parts);
  const std::span of_part = std::span(values).subspan(static_cast<std::size_t>(part) * size, size);
  return {of_part.begin(), of_part.end()};
}

}  // namespace

void DecoderCpu::load_expert_firsts(const Loading& from, std::int32_t layer,
                                    Experts& experts) const {
  using enum TensorRole;
  const WeightForm form = from.forms.woven(expert_gate, expert_up, layer);
  const std::int32_t size = config_.expert_size, count = config_.num_experts;
  if (is_low_bit(form)) {
    const LowBitRows gates =
                         config_.gated ? from.forms.read(expert_gate, layer, form) : LowBitRows{},
                     ups = from.forms.read(expert_up, layer, form);
    for (std::int32_t e = 0; e < count; ++e)
      experts.first.push_back(
          {first_product(form, gates.part(e, count), ups.part(e, count), size), {}});
    return;
  }
  const std::vector<float> gates = config_.gated ? from.weights.read(expert_gate, layer)
                                                 : std::vector<float>{},
                           ups = from.weights.read(expert_up, layer);
  for (std::int32_t e = 0; e < count; ++e)
    experts.first.push_back(
        {first_product(form, copy_of_part(gates, e, count), copy_of_part(ups, e, count), size),
         {}});
}

void DecoderCpu::load_expert_downs(const Loading& from, std::int32_t layer,
                                   Experts& experts) const {
  using enum TensorRole;
  const WeightForm form = from.forms.of(expert_down, layer);
  const std::int32_t hidden = config_.hidden_size, count = config_.num_experts;
  if (is_low_bit(form)) {
    const LowBitRows downs = from.forms.read(expert_down, layer, form);
    for (std::int32_t e = 0; e < count; ++e)
      experts.down.push_back({packed(form, hidden, widths_.expert, downs.part(e, count)), {}});
    return;
  }
  const std::vector<float> downs = from.weights.read(expert_down, layer);
  for (std::int32_t e = 0; e < count; ++e)
    experts.down.push_back(
        {packed(form, hidden, widths_.expert,
                widened(copy_of_part(downs, e, count), config_.expert_size, widths_.expert)),
         {}});
}

void DecoderCpu::load_experts(const Loading& from, std::int32_t layer, Experts& experts) const {
  using enum TensorRole;
  experts.router =
      load_linear(from, router, router, layer, config_.num_experts, config_.hidden_size);
  load_expert_firsts(from, layer, experts);
  load_expert_downs(from, layer, experts);
}

}  // namespace speclab::engines::cpu
