#include <algorithm>

#include "engines/families/widened_model.h"
#include "engines/formats/dequantise.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

using enum TensorRole;

/// A matrix in a larger one, in values or in bytes of rows.
struct Widening {
  std::int64_t rows, row, wide_rows, wide_row;
  bool adds;      ///< else its own part is zero
  bool is_table;  ///< its further columns become activations, so they are zero too
};

/// [own part, further columns; zeros, further columns]. Further columns multiply zeros and have
/// values of the matrix, from another row on.
template <typename Value>
std::vector<Value> widened_matrix(const std::vector<Value>& own, const Widening& w) {
  constexpr std::int64_t kStep = 7919;  // prime: neighbours begin at rows far apart
  std::vector<Value> wide(static_cast<std::size_t>(w.wide_rows * w.wide_row));
  for (std::int64_t r = 0; r < w.wide_rows; ++r) {
    Value* to = wide.data() + r * w.wide_row;
    if (w.adds && r < w.rows) std::copy_n(own.data() + r * w.row, w.row, to);
    if (w.is_table) continue;
    std::int64_t from = (r + 1) * kStep % w.rows * w.row;
    for (std::int64_t at = w.row; at < w.wide_row;) {
      const std::int64_t count = std::min(w.wide_row - at, std::ssize(own) - from);
      std::copy_n(own.data() + from, count, to + at);
      at += count;
      from = 0;
    }
  }
  return wide;
}

class WidenedWeights final : public DecoderWeights {
 public:
  WidenedWeights(ModelSource source, DecoderShape wide)
      : source_(std::move(source)), wide_(std::move(wide)) {}

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    if (role == head && wide_.tied_embeddings) return read_tied_head(wide_);
    std::vector<float> own = source_.weights->read(role, own_layer(role, layer));
    if (is_norm_weight(role)) {
      own.resize(static_cast<std::size_t>(wide_.hidden_size), 1.0f);
      return own;
    }
    return widened_matrix(own,
                          widening(role, layer, row_of(role, source_.config), row_of(role, wide_)));
  }

  /// Rows of whole blocks stay so where the wide ones have whole blocks.
  std::string_view stored_type(TensorRole role, std::int32_t layer) const override {
    const std::string_view type = source_.weights->stored_type(role, own_layer(role, layer));
    const BlockFormat* format = find_block_format(type);
    const bool fits = format != nullptr && row_of(role, wide_) % format->block_elements == 0;
    return fits ? type : "";
  }

  /// A block of zero bytes is one of zeros in every format.
  std::vector<std::byte> read_stored(TensorRole role, std::int32_t layer) const override {
    const BlockFormat* format = find_block_format(stored_type(role, layer));
    SPECLAB_EXPECT(format != nullptr, "rows that are stored so");
    const auto bytes = [&](std::int64_t values) {
      return values / format->block_elements * format->block_bytes;
    };
    const auto own = source_.weights->read_stored(role, own_layer(role, layer));
    return widened_matrix(own, widening(role, layer, bytes(row_of(role, source_.config)),
                                        bytes(row_of(role, wide_))));
  }

  std::optional<std::int64_t> counting_columns(TensorRole role) const override {
    const std::int64_t own = row_of(role, source_.config);
    if (is_norm_weight(role) || role == embedding || own == row_of(role, wide_))
      return std::nullopt;
    return own;
  }
  std::vector<float> read_counting(TensorRole role, std::int32_t layer) const override {
    const std::int64_t own = row_of(role, source_.config);
    return widened_matrix(source_.weights->read(role, own_layer(role, layer)),
                          widening(role, layer, own, own));
  }

  std::int64_t bytes_to_read(TensorRole role, std::int32_t layer) const override {
    return source_.weights->bytes_to_read(role, own_layer(role, layer)) +
           float32_bytes(num_elements(role, wide_));
  }

  std::string sha256() const override { return source_.weights->sha256(); }

 private:
  static std::int64_t row_of(TensorRole role, const DecoderShape& shape) {
    return shape_of(role, shape).back();
  }

  LayerOfSource of_source(std::int32_t layer) const {
    return layer_of_source(layer, wide_.num_layers, source_.config.num_layers);
  }
  std::int32_t own_layer(TensorRole role, std::int32_t layer) const {
    return is_of_layer(role) ? of_source(layer).layer : 0;
  }

  /// @param row, wide_row  in values or bytes
  Widening widening(TensorRole role, std::int32_t layer, std::int64_t row,
                    std::int64_t wide_row) const {
    const bool writes_stream = role == attention_output || role == down;
    return {.rows = shape_of(role, source_.config).front(),
            .row = row,
            .wide_rows = shape_of(role, wide_).front(),
            .wide_row = wide_row,
            .adds = !writes_stream || of_source(layer).adds,
            .is_table = role == embedding};
  }

  ModelSource source_;
  DecoderShape wide_;
};

}  // namespace

ModelSource widened_model(ModelSource source, const WideSizes& sizes) {
  DecoderShape wide = widened_shape(source.config, sizes);
  ModelSource widened{wide, nullptr, source.tokenizer, source.tokenizer_problem};
  widened.weights = std::make_unique<WidenedWeights>(std::move(source), std::move(wide));
  return widened;
}

}  // namespace speclab::engines
