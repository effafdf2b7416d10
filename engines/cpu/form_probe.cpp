#include "engines/cpu/form_probe.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "engines/cpu/steps.h"

namespace speclab::engines::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kManyBytes = std::int64_t{48} << 20;  ///< more than caches hold, expanded
constexpr int kPasses = 3;
constexpr int kProbedRows[] = {1, 2, 4, 8, 16};
constexpr int kVerifiedRows = 8;  ///< of a usual round
/// One row leaves the low-bit form only for a clear loss, so that the bytes of a step are the same
/// from run to run.
constexpr double kClearLoss = 1.25;

/// Products of layers, until they are too large for caches.
std::vector<const Linear*> probed_products(const PackedDecoder& model) {
  std::vector<const Linear*> products;
  std::int64_t bytes = 0;
  for (const Layer& layer : model.layers)
    for (const Linear* linear :
         {&layer.query_key_value, &layer.attention_output, &layer.first, &layer.down}) {
      if (linear->expanded.columns() == 0 || bytes >= kManyBytes) continue;
      products.push_back(linear);
      bytes += linear->matrix.bytes();
    }
  return products;
}

/// Layers that have as many bytes.
std::int32_t num_probed_layers(const DecoderShape& shape, const MatrixForms& forms) {
  std::int64_t bytes = 0;
  std::int32_t layer = 0;
  while (layer < shape.num_layers && bytes < kManyBytes)
    for (const MatrixForms::Sized& matrix : forms.of_layer(layer++))
      for (const PackedMatrix::Part& part : matrix.parts)
        bytes += matrix.count * PackedMatrix::data_bytes(part.form, part.columns, matrix.depth);
  return layer;
}

/// Times products of a model's layers. All passes over them take turns, since other programs may
/// disturb any of them; the best of a few counts.
class ProductTimer {
 public:
  ProductTimer(PackedDecoder& model, Workspace& room)
      : model_(model), room_(room), products_(probed_products(model)) {
    for (const Linear* linear : products_) {
      deepest_ = std::max<std::int64_t>(deepest_, linear->matrix.depth());
      widest_ = std::max<std::int64_t>(widest_, linear->matrix.columns());
    }
  }

  bool has_products() const { return !products_.empty(); }

  FormTimes exact(int rows) {
    FormTimes best{1e9, 1e9, 1e9};
    for (int pass = 0; pass < kPasses; ++pass) time_exact(rows, best);
    return best;
  }
  FormTimes with_int8(int rows) {
    FormTimes best{1e9, 1e9, 1e9};
    for (int pass = 0; pass < kPasses; ++pass) {
      time_exact(rows, best);
      best.int8 = std::min(best.int8, seconds_at_int8(rows));
    }
    return best;
  }

 private:
  void time_exact(int rows, FormTimes& best) {
    model_.low_bit_rows = rows;
    best.low_bit = std::min(best.low_bit, seconds(rows));
    model_.low_bit_rows = 0;
    best.expanded = std::min(best.expanded, seconds(rows));
  }

  double seconds_at_int8(int rows) {
    const NumberForms exact = model_.numbers;
    model_.numbers = {WeightChoice::file, ProductKind::int8};
    model_.type = model_.numbers.activations();
    model_.low_bit_rows = rows;
    const double time = seconds(rows);
    model_.numbers = exact;
    model_.type = exact.activations();
    return time;
  }

  /// Duration of one pass over all products. The activations are ones in bfloat16, and nearly so in
  /// float32.
  double seconds(int rows) {
    const auto groups = static_cast<std::size_t>((deepest_ + kGroupDepth - 1) / kGroupDepth);
    room_.product_rows.resize(
        std::max(room_.product_rows.size(), static_cast<std::size_t>(rows) * groups));
    const std::vector<float> x(static_cast<std::size_t>(rows * deepest_),
                               std::bit_cast<float>(0x3F803F80U));
    std::vector<float> out(static_cast<std::size_t>(rows * widest_));
    const auto start = Clock::now();
    room_.team->run([&](int rank) {
      const Worker worker{model_, room_, rank};
      for (const Linear* linear : products_) {
        multiply(worker, *linear, {x.data(), rows, out.data(), linear->matrix.columns()});
        worker.barrier();
      }
    });
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  PackedDecoder& model_;
  Workspace& room_;
  std::vector<const Linear*> products_;
  std::int64_t deepest_ = 0, widest_ = 0;
};

/// Leaves one form of a product.
void keep_form(Linear& linear, bool is_low_bit) {
  if (!is_low_bit && linear.expanded.columns() > 0) linear.matrix = std::move(linear.expanded);
  linear.expanded = {};
}

void keep_form(Layer& layer, bool is_low_bit) {
  for (Linear* linear : {&layer.query_key_value, &layer.attention_output, &layer.first, &layer.down,
                         &layer.experts.router})
    keep_form(*linear, is_low_bit);
  for (std::vector<Linear>* products : {&layer.experts.first, &layer.experts.down})
    for (Linear& linear : *products) keep_form(linear, is_low_bit);
}

}  // namespace

void choose_low_bit_rows(PackedDecoder& model, Workspace& room) {
  ProductTimer timer(model, room);
  if (!timer.has_products()) return;
  int most = 0;
  for (const int rows : kProbedRows) {
    const FormTimes times = timer.exact(rows);
    if (times.low_bit > (rows == 1 ? kClearLoss : 1.0) * times.expanded) break;
    most = rows;
  }
  model.low_bit_rows = most;
}

bool is_low_bit_faster(const FormTimes& one_row, const FormTimes& several_rows) {
  return one_row.low_bit * several_rows.low_bit <= one_row.expanded * several_rows.expanded;
}

FormChoice choose_form(const DecoderShape& shape, const DecoderWeights& weights,
                       const std::shared_ptr<ThreadTeam>& team, const CpuKernels* kernels) {
  const NumberForms kept(WeightChoice::file, ProductKind::exact), expanded;
  const std::int32_t num_layers = num_probed_layers(shape, MatrixForms(shape, weights, kept));
  PackedDecoder model{.shape = shape,
                      .widths = Widths(shape),
                      .numbers = kept,
                      .type = kept.activations(),
                      .layers = load_both_forms(shape, weights, num_layers, *team)};
  Workspace room(model, team, kernels);
  ProductTimer timer(model, room);
  FormChoice choice{expanded};
  bool is_low_bit = false;
  if (timer.has_products()) {
    const FormTimes one = timer.with_int8(1), several = timer.exact(kVerifiedRows);
    is_low_bit = is_low_bit_faster(one, several);
    choice.speedup_of_int8 = (is_low_bit ? one.low_bit : one.expanded) / one.int8;
  }
  if (is_low_bit) choice.numbers = kept;
  for (Layer& layer : model.layers) keep_form(layer, is_low_bit);
  choice.layers = std::move(model.layers);
  return choice;
}

}  // namespace speclab::engines::cpu
