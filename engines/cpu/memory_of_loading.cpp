// Bytes of a model by its sizes: those that loading takes, step by step as load_decoder takes
// them, and those that a forward reads. Norms and biases are left out.

#include <algorithm>

#include "engines/cpu/decoder_cpu.h"
#include "engines/cpu/form_probe.h"
#include "engines/cpu/packed_decoder.h"
#include "engines/cpu/padding.h"

namespace speclab::engines::cpu {
namespace {

using enum TensorRole;

constexpr std::int64_t kFloat = sizeof(float);

/// Matrices beside the tables that some decoders have outside their layers.
constexpr TensorRole kProjections[] = {embedding_projection, output_projection, fusion};

class LoadingMemory {
 public:
  LoadingMemory(const DecoderShape& shape, const DecoderWeights& weights,
                const NumberForms& numbers)
      : shape_(shape), numbers_(numbers), forms_(shape, weights, numbers), widths_(shape) {}

  /// Values that `loading` threads hold while they load a layer each, and blocks that all make.
  std::int64_t of_threads(int loading, int num_threads) {
    const std::int64_t deepest =
        std::max({widths_.hidden, widths_.table, widths_.query, widths_.inner});
    return loading * load_layer(0) + num_threads * deepest * kBlockColumns * kFloat;
  }

  std::int64_t highest(int num_threads) {
    load_tables();
    std::int64_t layer_bytes = 0;
    for (std::int32_t layer = 0; layer < shape_.num_layers; ++layer)
      layer_bytes = std::max(layer_bytes, load_layer(layer));
    return std::max(highest_, held_ + std::min(num_threads, shape_.num_layers) * layer_bytes);
  }

 private:
  void hold(const MatrixForms::Sized& matrix) {
    held_ += matrix.count * PackedMatrix::memory_bytes(matrix.parts, matrix.depth);
    if (!is_low_bit(matrix.parts.front().form) || numbers_.weights != WeightChoice::fastest) return;
    std::vector<PackedMatrix::Part> expanded = matrix.parts;
    for (PackedMatrix::Part& part : expanded) part.form = numbers_.expanded();
    held_ += matrix.count * PackedMatrix::memory_bytes(expanded, matrix.depth);
  }

  /// Float32 bytes of one role while it becomes columns.
  /// @param wide_values  with its sizes in whole vectors: if more, a copy stands beside the source
  std::int64_t bytes_of(TensorRole role, std::int32_t layer, std::int64_t wide_values) const {
    const std::int64_t values = num_elements(role, shape_);
    return std::max(forms_.bytes_to_read(role, layer),
                    wide_values > values ? 2 * kFloat * wide_values : 0);
  }

  void load_table(TensorRole role) {
    const MatrixForms::Sized matrix = forms_.sized(role, 0);
    hold(matrix);
    highest_ =
        std::max(highest_, held_ + bytes_of(role, 0, matrix.parts.front().columns * matrix.depth));
  }

  void load_tables() {
    load_table(embedding);
    if (!shape_.head_is_embedding()) load_table(head);
    if (shape_.positions == Positions::learned) {
      held_ +=
          kFloat * (std::int64_t{shape_.context_length} + shape_.position_offset) * widths_.hidden;
      highest_ = std::max(highest_, held_ + forms_.bytes_to_read(position_embedding, 0));
    }
    for (const TensorRole role : kProjections)
      if (has_role(role, shape_, 0)) load_table(role);
  }

  /// @return float32 bytes of the layer at its highest point; its matrices are held
  std::int64_t load_layer(std::int32_t layer) {
    for (const MatrixForms::Sized& matrix : forms_.of_layer(layer)) hold(matrix);
    return std::max(attention_bytes(layer),
                    has_experts(shape_, layer) ? expert_bytes(layer) : feed_forward_bytes(layer));
  }

  std::int64_t attention_bytes(std::int32_t layer) const {
    const std::int64_t hidden = widths_.hidden, query_width = widths_.query;
    return std::max({bytes_of(query, layer, query_width * hidden),
                     bytes_of(key, layer, widths_.key * hidden),
                     bytes_of(value, layer, widths_.key * hidden),
                     bytes_of(attention_output, layer, shape_.hidden_size * query_width)});
  }

  /// Gate stays while up is read; both are widened one after the other.
  std::int64_t feed_forward_bytes(std::int32_t layer) const {
    const std::int64_t values = num_elements(up, shape_);
    std::int64_t most = gate_bytes(values) + forms_.bytes_to_read(up, layer);
    if (shape_.gated) most = std::max(most, forms_.bytes_to_read(gate, layer));
    if (wide_values(widths_.inner) > values) most = std::max(most, widening_bytes(widths_.inner));
    return std::max(most, bytes_of(down, layer, shape_.hidden_size * std::int64_t{widths_.inner}));
  }

  /// The values of all experts at once, then copies of one expert's.
  std::int64_t expert_bytes(std::int32_t layer) const {
    const std::int64_t values = num_elements(expert_up, shape_), gates = gate_bytes(values);
    const std::int64_t reading =
        std::max(gates + forms_.bytes_to_read(expert_up, layer),
                 gates + kFloat * values + forms_.bytes_to_read(expert_down, layer));
    return std::max(reading, gates + 2 * kFloat * values + widening_bytes(widths_.expert));
  }

  std::int64_t num_firsts() const { return shape_.gated ? 2 : 1; }
  std::int64_t gate_bytes(std::int64_t values) const { return shape_.gated ? kFloat * values : 0; }
  std::int64_t wide_values(std::int32_t inner) const {
    return std::int64_t{inner} * widths_.hidden;
  }
  /// Gate and up of which one has been widened in both sizes, source and both steps.
  std::int64_t widening_bytes(std::int32_t inner) const {
    return kFloat * (num_firsts() + 2) * wide_values(inner);
  }

  const DecoderShape& shape_;
  NumberForms numbers_;
  MatrixForms forms_;
  Widths widths_;
  std::int64_t held_ = 0, highest_ = 0;
};

}  // namespace

std::int64_t bytes_of_a_row(const DecoderShape& shape, const MatrixForms& forms) {
  std::int64_t bytes = 0;
  const auto add = [&](const MatrixForms::Sized& matrix) {
    for (const PackedMatrix::Part& part : matrix.parts)
      bytes += matrix.count_read * PackedMatrix::data_bytes(part.form, part.columns, matrix.depth);
  };
  add(forms.sized(shape.head_is_embedding() ? embedding : head, 0));
  for (const TensorRole role : kProjections)
    if (has_role(role, shape, 0)) add(forms.sized(role, 0));
  for (std::int32_t layer = 0; layer < shape.num_layers; ++layer)
    for (const MatrixForms::Sized& matrix : forms.of_layer(layer)) add(matrix);
  return bytes;
}

std::int64_t DecoderCpu::bytes_to_load(const DecoderShape& shape, const DecoderWeights& weights,
                                       const NumberForms& asked, int num_threads,
                                       const CpuKernels* kernels) {
  const NumberForms numbers = keeps_one_form(asked, *kernels) ? NumberForms(asked.type) : asked;
  const std::optional<StreamPlan> plan = stream_plan(shape, weights, numbers);
  if (plan)
    return plan->resident_bytes() +
           LoadingMemory(shape, weights, numbers)
               .of_threads(std::min(num_threads, plan->num_resident_layers()), num_threads);
  return LoadingMemory(shape, weights, numbers).highest(num_threads);
}

}  // namespace speclab::engines::cpu
