// Weights of a model file: finds every tensor that the shape wants, checks its form, and refuses
// tensors that nobody would read.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "engines/families/family.h"
#include "engines/families/tensor_finder.h"
#include "engines/formats/dequantise.h"
#include "engines/formats/input_file.h"
#include "engines/models/decoder_weights.h"
#include "engines/models/tensor_forms.h"
#include "sim/system/errors.h"
#include "sim/system/kept_digests.h"

namespace speclab::engines {
namespace {

using Sizes = std::vector<std::int64_t>;

class FileDecoderWeights final : public DecoderWeights {
 public:
  FileDecoderWeights(std::shared_ptr<const WeightSource> file, const DecoderShape& shape,
                     FileLayout layout)
      : file_(std::move(file)), shape_(shape), finder_(file_, shape, std::move(layout)) {
    refuse_further_layers();
    check_all();
    check_stored_head();
    skip_buffers();
    for (const TensorInfo& tensor : file_->tensors()) refuse_unread(tensor.name);
  }

  std::vector<float> read(TensorRole role, std::int32_t layer) const override {
    if (role == TensorRole::head && shape_.tied_embeddings) return read_tied_head(shape_);
    const FoundPlace found = finder_.find(role, layer);
    std::vector<float> values = read_parts<float>(
        found, [this](const std::string& name) { return file_->read_float32(name); });
    if (found.place->transposed)
      values = transposed(values, stored_rows(role, *found.place), elements_a_row(role));
    values = cut(role, *found.place, std::move(values), elements_a_row(role));
    if (shape_.norm_adds_one && is_norm_weight(role))
      for (float& value : values) value += 1.0f;
    return in_halves(role, std::move(values), elements_a_row(role));
  }

  std::string_view stored_type(TensorRole role, std::int32_t layer) const override {
    if (role == TensorRole::head && shape_.tied_embeddings)
      return shape_.head_is_embedding() ? stored_type(TensorRole::embedding, 0) : "";
    const FoundPlace found = finder_.find(role, layer);
    const std::string_view type = file_->tensor(found.names.front()).dtype;
    const BlockFormat* format = find_block_format(type);
    if (format == nullptr || found.place->transposed ||
        elements_a_row(role) % format->block_elements != 0)
      return "";
    const bool is_one = std::ranges::all_of(
        found.names, [&](const std::string& name) { return file_->tensor(name).dtype == type; });
    return is_one ? type : "";
  }

  std::vector<std::byte> read_stored(TensorRole role, std::int32_t layer) const override {
    if (role == TensorRole::head && shape_.tied_embeddings)
      return read_stored(TensorRole::embedding, 0);
    const FoundPlace found = finder_.find(role, layer);
    const BlockFormat& format = *find_block_format(stored_type(role, layer));
    const std::int64_t row_bytes =
        elements_a_row(role) / format.block_elements * format.block_bytes;
    std::vector<std::byte> rows = read_parts<std::byte>(
        found, [this](const std::string& name) { return file_->read_stored(name); });
    rows = cut(role, *found.place, std::move(rows), row_bytes);
    return in_halves(role, std::move(rows), row_bytes);
  }

  std::optional<RowPlaces> row_places(TensorRole role, std::int32_t layer) const override {
    if (role == TensorRole::head && shape_.tied_embeddings)
      return shape_.head_is_embedding() ? row_places(TensorRole::embedding, 0) : std::nullopt;
    const FoundPlace found = finder_.find(role, layer);
    RowPlaces places;
    for (const std::string& name : found.names) {
      places.tensors.push_back(file_->stored_bytes(name));
      if (places.tensors.back().file == nullptr) return std::nullopt;
    }
    places.format = places.tensors.front().extent.format;
    const bool is_one = std::ranges::all_of(places.tensors, [&](const TensorBytes& tensor) {
      return tensor.extent.format == places.format;
    });
    const std::int64_t width = elements_a_row(role);
    if (!is_one || places.format == nullptr || found.place->transposed ||
        width % places.format->block_elements != 0)
      return std::nullopt;
    places.row_bytes = width / places.format->block_elements * places.format->block_bytes;
    std::int64_t rows = 0;
    for (const TensorBytes& tensor : places.tensors)
      rows += static_cast<std::int64_t>(tensor.extent.bytes) / places.row_bytes;
    places.rows.resize(static_cast<std::size_t>(rows));
    std::iota(places.rows.begin(), places.rows.end(), std::int64_t{0});
    places.rows = in_halves(role, cut(role, *found.place, std::move(places.rows), 1), 1);
    return places;
  }

  /// The tensor, or the copies that cut and arranged make beside their source.
  std::int64_t bytes_to_read(TensorRole role, std::int32_t layer) const override {
    const std::int64_t values = num_elements(role, shape_);
    std::int64_t most = values;
    if (role == TensorRole::head && shape_.tied_embeddings) {
      const std::int64_t table = bytes_to_read(TensorRole::embedding, 0);
      return shape_.head_is_embedding()
                 ? table
                 : std::max(table,
                            float32_bytes(num_elements(TensorRole::embedding, shape_) + values));
    }
    const FoundPlace found = finder_.find(role, layer);
    const std::int64_t part = file_->tensor(found.names.front()).num_elements,
                       parts = static_cast<std::int64_t>(found.names.size()), whole = part * parts;
    most = std::max(most, parts > 1 ? whole + part : whole);
    if (found.place->transposed) most = std::max(most, 2 * whole);
    if (found.place->form != Form::whole) most = std::max(most, whole + values);
    if (turns(role) && shape_.rotary_pairs != RotaryPairs::halves)
      most = std::max(most, 2 * values);
    return float32_bytes(most);
  }

  std::string sha256() const override {
    if (sha256_.empty()) sha256_ = kept_digests_of_user().of_files(file_->weight_paths());
    return sha256_;
  }

 private:
  static bool turns(TensorRole role) {
    using enum TensorRole;
    return role == query || role == key || role == query_bias || role == key_bias;
  }

  /// A tensor, or those of all experts one behind the other.
  template <typename Value, typename Read>
  static std::vector<Value> read_parts(const FoundPlace& found, const Read& read_part) {
    std::vector<Value> values = read_part(found.names.front());
    if (found.names.size() > 1) values.reserve(values.size() * found.names.size());
    for (std::size_t i = 1; i < found.names.size(); ++i) {
      const std::vector<Value> part = read_part(found.names[i]);
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  }

  void check(TensorRole role, std::int32_t layer) {
    const FoundPlace found = finder_.find(role, layer);
    const Sizes wanted = finder_.sizes_at(*found.place);
    for (const std::string& name : found.names) {
      const Sizes& sizes = file_->tensor(name).shape;
      if (sizes != wanted)
        throw_model_file_error(
            file_->path(), 0,
            {"tensor '" + escaped(name, 64) + "'",
             fmt::format("shape [{}]", fmt::join(sizes, ", ")),
             fmt::format("[{}], as the model's configuration says", fmt::join(wanted, ", ")),
             "check that weights and configuration are of the same model"});
      read_.insert(name);
    }
  }

  void check_all() {
    for (const TensorRole role : tensor_roles())
      for (std::int32_t layer = 0; layer < (is_of_layer(role) ? shape_.num_layers : 1); ++layer)
        if (has_role(role, shape_, layer) && !is_shared(role)) check(role, layer);
  }

  void skip_buffers() {
    for (std::int32_t layer = 0; layer < shape_.num_layers; ++layer)
      for (const std::string& name : finder_.buffer_names(layer)) read_.insert(name);
  }

  /// Other readers decode with a head that is stored, so a tied one must be the embedding.
  void check_stored_head() {
    if (!shape_.tied_embeddings) return;
    for (const TensorPlace& place : finder_.places())
      if (place.role == TensorRole::head && file_->contains(place.name))
        check_is_embedding(place.name);
  }

  void check_is_embedding(const std::string& head) {
    read_.insert(head);
    const std::string table = finder_.find(TensorRole::embedding, 0).names.front();
    const bool is_same = file_->tensor(head).shape == file_->tensor(table).shape &&
                         file_->have_same_values(head, table);
    if (!is_same)
      throw_model_file_error(
          file_->path(), 0,
          {"tensor '" + escaped(head, 64) + "'", "a stored head that differs from the embedding",
           fmt::format("the values of '{}' with tie_word_embeddings true", escaped(table, 64)),
           "set tie_word_embeddings to what the model was trained with"});
  }

  /// Tables that are read from elsewhere: a tied head, and all of a feature transformer's.
  bool is_shared(TensorRole role) const {
    const bool is_head = role == TensorRole::head;
    return (is_head && shape_.tied_embeddings) ||
           ((is_head || role == TensorRole::embedding) && shape_.is_feature_transformer());
  }

  void refuse_unread(const std::string& name) const {
    if (read_.contains(name)) return;
    throw_model_file_error(
        file_->path(), 0,
        {"tensor '" + escaped(name, 64) + "'", "in the file, and its configuration has none",
         fmt::format("tensors of the family {}", shape_.family),
         "the text would be another model's: check config.json, or take weights without it"});
  }

  /// A file that holds more layers than its configuration says would run as another model.
  void refuse_further_layers() const {
    for (const TensorPlace& place : finder_.places()) {
      if (!is_of_layer(place.role) || finder_.is_of_no_part(place)) continue;
      const std::string name = finder_.name_at(place, shape_.num_layers, 0);
      if (file_->contains(name))
        throw_model_file_error(
            file_->path(), 0,
            {"tensor '" + escaped(name, 64) + "'", "in the file",
             fmt::format("{} layers, as the configuration says", shape_.num_layers),
             "check that weights and configuration are of the same model"});
    }
  }

  std::int64_t elements_a_row(TensorRole role) const {
    const Sizes sizes = shape_of(role, shape_);
    const std::size_t dimension = row_dimension(role);
    return num_elements(role, shape_) / (dimension == 1 ? sizes[0] : 1) / sizes[dimension];
  }

  /// Rows of the tensor, of each expert where it has some.
  std::int64_t stored_rows(TensorRole role, const TensorPlace& place) const {
    return place.form == Form::whole ? finder_.rows(role) : finder_.stacked_rows(role);
  }

  /// @param width  values a row
  template <typename Value>
  std::vector<Value> cut(TensorRole role, const TensorPlace& place, std::vector<Value> values,
                         std::int64_t width) const {
    if (place.form == Form::whole) return values;
    const std::int64_t num_blocks = row_dimension(role) == 1 ? shape_of(role, shape_)[0] : 1;
    const std::int64_t all = stored_rows(role, place), own = finder_.rows(role);
    std::int64_t first = 0;
    for (const TensorRole neighbour : neighbours_of(role)) {
      if (neighbour == role) break;
      first += finder_.rows(neighbour);
    }
    const std::int64_t heads = shape_.num_heads;
    if (place.form == Form::per_head)
      return cut_rows(values, {heads, all / heads, first / heads, own / heads, width});
    return cut_rows(values, {num_blocks, all, first, own, width});
  }

  /// Rotary pairs in the kernels' convention. @param width  values a row of weights
  template <typename Value>
  std::vector<Value> in_halves(TensorRole role, std::vector<Value> values,
                               std::int64_t width) const {
    using enum TensorRole;
    if (shape_.rotary_pairs == RotaryPairs::halves || !turns(role)) return values;
    const bool is_query = role == query || role == query_bias;
    return halves_from_pairs(values, is_query ? shape_.num_heads : shape_.num_kv_heads, shape_,
                             width);
  }

  std::shared_ptr<const WeightSource> file_;
  DecoderShape shape_;
  TensorFinder finder_;
  std::set<std::string> read_;  ///< and those that need no reading
  mutable std::string sha256_;  ///< empty until asked for: the whole file is read for it
};

}  // namespace

std::unique_ptr<DecoderWeights> decoder_weights_from_gguf(std::shared_ptr<const WeightSource> file,
                                                          const DecoderShape& shape) {
  return std::make_unique<FileDecoderWeights>(std::move(file), shape,
                                              FileLayout{gguf_places(), gguf_buffers(), ""});
}

std::unique_ptr<DecoderWeights> decoder_weights_from_checkpoint(
    std::shared_ptr<const WeightSource> folder, const DecoderShape& shape) {
  const Family* family = family_named(shape.family);
  SPECLAB_EXPECT(family != nullptr, "a shape of a family");
  return std::make_unique<FileDecoderWeights>(
      std::move(folder), shape, FileLayout{family->places, family->buffers, family->prefix});
}

}  // namespace speclab::engines
