#include "engines/cpu/stream_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/cpu/huge_buffer.h"
#include "engines/cpu/padding.h"
#include "sim/system/errors.h"

namespace speclab::engines::cpu {
namespace {

using enum TensorRole;

TensorRole head_of(const DecoderShape& shape) {
  return shape.head_is_embedding() ? embedding : head;
}

[[noreturn]] void refuse_model(const DecoderShape& shape, const std::string& why) {
  throw ConfigError(
      fmt::format("weights 'streamed': model '{}' {}; allowed: a dense model whose file holds its "
                  "matrices row by row, or weights resident",
                  escaped(shape.name), why));
}

/// The rows of a role in one tensor.
RowPlaces places_of(const DecoderShape& shape, const DecoderWeights& weights, TensorRole role,
                    std::int32_t layer) {
  std::optional<RowPlaces> places = weights.row_places(role, layer);
  if (!places || places->tensors.size() != 1)
    refuse_model(shape, weights.are_random() ? "has made-up weights"
                                             : "has matrices that stand otherwise in its file");
  return *std::move(places);
}

void require_whole_vectors(const DecoderShape& shape) {
  for (const std::int32_t size :
       {shape.hidden_size, shape.table_width(), shape.head_dim, shape.intermediate_size})
    if (padded(size) != size) refuse_model(shape, fmt::format("has a size of {}", size));
}

std::int64_t memory_of(const MatrixForms::Sized& matrix) {
  return PackedMatrix::memory_bytes(matrix.parts, matrix.depth);
}

std::int64_t memory_of_layer(const MatrixForms& forms, std::int32_t layer) {
  std::int64_t memory = 0;
  for (const MatrixForms::Sized& matrix : forms.of_layer(layer)) memory += memory_of(matrix);
  return memory;
}

/// Norms, biases, and the tables that are read as a whole, in float32.
std::int64_t memory_of_rest(const DecoderShape& shape) {
  std::int64_t values = 0;
  for (const TensorRole role : tensor_roles())
    for (std::int32_t layer = 0; layer < (is_of_layer(role) ? shape.num_layers : 1); ++layer) {
      const bool stays = shape_of(role, shape).size() == 1 || role == position_embedding ||
                         role == embedding_projection || role == output_projection;
      if (stays && has_role(role, shape, layer)) values += num_elements(role, shape);
    }
  return values * static_cast<std::int64_t>(sizeof(float));
}

std::int64_t memory_of_buffer(std::int64_t bytes) {
  return static_cast<std::int64_t>(weight_buffer_bytes(static_cast<std::size_t>(bytes)));
}

RowPlaces part_of(const RowPlaces& places, std::int64_t first, std::int64_t count) {
  RowPlaces part = places;
  const auto begin = places.rows.begin() + first;
  part.rows.assign(begin, begin + count);
  return part;
}

std::int64_t piece_bytes(const RowPlaces& places) { return StreamPiece({&places, 1}).bytes(); }

std::vector<std::int64_t> layer_bytes(const DecoderShape& shape, const DecoderWeights& weights) {
  std::vector<std::int64_t> bytes;
  for (std::int32_t layer = 0; layer < shape.num_layers; ++layer)
    bytes.push_back(piece_of(layer_places(shape, weights, layer)).bytes());
  return bytes;
}

/// Parts that a buffer of so many bytes holds, or single blocks of columns if it holds none.
std::vector<RowPlaces> cut_to_fit(const RowPlaces& table, std::int64_t buffer_bytes) {
  // A piece begins and ends in pages that it shares with its neighbours.
  const auto room = buffer_bytes - 2 * static_cast<std::int64_t>(kDirectAlignment);
  const std::int64_t rows =
      std::max<std::int64_t>(1, room / table.row_bytes / kBlockColumns) * kBlockColumns;
  const auto all = static_cast<std::int64_t>(table.rows.size());
  std::vector<RowPlaces> parts;
  for (std::int64_t first = 0; first < all; first += rows)
    parts.push_back(part_of(table, first, std::min(rows, all - first)));
  return parts;
}

[[noreturn]] void refuse_limit(const DecoderShape& shape, std::int64_t limit, std::int64_t rest,
                               std::int64_t buffer) {
  throw ConfigError(fmt::format(
      "resident_bytes = {}: two layers of model '{}', one in use and one on its way, take {} bytes "
      "each, and norms and small tables {}; allowed: at least {}",
      limit, escaped(shape.name), buffer, rest, rest + 2 * buffer));
}

}  // namespace

RolePlaces layer_places(const DecoderShape& shape, const DecoderWeights& weights,
                        std::int32_t layer) {
  RolePlaces places;
  for (const TensorRole role : {query, key, value, attention_output, gate, up, down})
    if (has_role(role, shape, layer)) places.emplace(role, places_of(shape, weights, role, layer));
  return places;
}

RowPlaces table_places(const DecoderShape& shape, const DecoderWeights& weights, TensorRole table) {
  return places_of(shape, weights, table, 0);
}

StreamPiece piece_of(const RolePlaces& places) {
  std::vector<RowPlaces> roles;
  for (const auto& [role, rows] : places) roles.push_back(rows);
  return StreamPiece(roles);
}

StreamPlan::StreamPlan(const DecoderShape& shape, const DecoderWeights& weights,
                       const MatrixForms& forms, std::int64_t limit)
    : num_resident_layers_(shape.num_layers) {
  if (shape.num_experts > 0) refuse_model(shape, "has experts");
  require_whole_vectors(shape);
  const std::vector<std::int64_t> layers = layer_bytes(shape, weights);
  std::vector<RowPlaces> head_parts =
      cut_to_fit(table_places(shape, weights, head_of(shape)), std::ranges::max(layers));
  const std::int64_t rest = memory_of_rest(shape);
  resident_bytes_ = rest + memory_of(forms.sized(embedding, 0));
  if (!shape.head_is_embedding()) resident_bytes_ += memory_of(forms.sized(head, 0));
  for (std::int32_t layer = 0; layer < shape.num_layers; ++layer)
    resident_bytes_ += memory_of_layer(forms, layer);
  if (resident_bytes_ <= limit) return;
  head_pieces_ = std::move(head_parts);
  std::int64_t largest = std::ranges::max(layers);
  for (const RowPlaces& piece : head_pieces_) {
    streamed_bytes_ += piece_bytes(piece);
    largest = std::max(largest, piece_bytes(piece));
  }
  resident_bytes_ = rest + 2 * memory_of_buffer(largest);
  if (limit < resident_bytes_) refuse_limit(shape, limit, rest, memory_of_buffer(largest));
  num_resident_layers_ = 0;
  for (; num_resident_layers_ < shape.num_layers; ++num_resident_layers_) {
    const std::int64_t memory = memory_of_layer(forms, num_resident_layers_);
    if (resident_bytes_ + memory > limit) break;
    resident_bytes_ += memory;
  }
  for (std::int32_t layer = num_resident_layers_; layer < shape.num_layers; ++layer)
    streamed_bytes_ += layers[static_cast<std::size_t>(layer)];
}

std::optional<StreamPlan> stream_plan(const DecoderShape& shape, const DecoderWeights& weights,
                                      const NumberForms& numbers) {
  if (!numbers.resident_bytes) return std::nullopt;
  StreamPlan plan(shape, weights, MatrixForms(shape, weights, numbers), *numbers.resident_bytes);
  return plan.streams() ? std::optional(std::move(plan)) : std::nullopt;
}

}  // namespace speclab::engines::cpu
