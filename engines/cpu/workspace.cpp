#include "engines/cpu/workspace.h"

#include <algorithm>
#include <cmath>

#include "engines/cpu/steps.h"

namespace speclab::engines::cpu {
namespace {

template <typename Element>
void grow(std::vector<Element>& buffer, std::size_t size) {
  if (buffer.size() < size) buffer.resize(size);
}

void choose_rows(Workspace& room) {
  room.going_on.clear();
  room.logit_rows.clear();
  room.hidden_rows.clear();
  for (std::size_t i = 0; i < room.rows.size(); ++i) {
    const ForwardRow& row = room.rows[i];
    const auto index = static_cast<std::int32_t>(room.going_on.size());
    if (row.wants_logits) room.logit_rows.push_back(index);
    if (row.wants_hidden) room.hidden_rows.push_back(index);
    if (row.wants_logits || row.wants_hidden) room.going_on.push_back(static_cast<std::int32_t>(i));
  }
}

/// Makes rotations for the whole cache and for every row, whatever cache it is in.
void reach_rotations(const PackedDecoder& model, Workspace& room) {
  std::int32_t length = room.cache->capacity();
  for (const ForwardRow& row : room.rows) length = std::max(length, row.position + 1);
  room.global_rotation.reach(length);
  if (model.shape.window_rope_theta) room.window_rotation.reach(length);
}

std::size_t bytes_of_deepest_block(const PackedDecoder& model, int bytes_a_weight) {
  return static_cast<std::size_t>(model.deepest * kBlockColumns * bytes_a_weight);
}

void reserve_experts(const PackedDecoder& model, ExpertRoom& room, std::size_t rows) {
  const std::size_t slots = rows * static_cast<std::size_t>(model.shape.experts_per_token);
  grow(room.router_logits, rows * static_cast<std::size_t>(model.shape.num_experts));
  grow(room.in, slots * static_cast<std::size_t>(model.widths.hidden));
  grow(room.inner, slots * static_cast<std::size_t>(model.widths.expert));
  grow(room.out, slots * static_cast<std::size_t>(model.widths.hidden));
  grow(room.chosen, slots);
  grow(room.weights, slots);
  grow(room.slot_rows, slots);
  grow(room.slots_of_rows, slots);
}

void reserve_product_rows(const PackedDecoder& model, Workspace& room, std::size_t rows) {
  if (model.numbers.kind == ProductKind::exact) {
    if (model.numbers.weights == WeightChoice::expanded || rows < kExpandedRows) return;
    for (Scratch& scratch : room.scratch)
      if (!scratch.block) scratch.block = make_huge_buffer(bytes_of_deepest_block(model, 2));
    return;
  }
  const std::size_t all =
      rows * std::max<std::size_t>(1, static_cast<std::size_t>(model.shape.experts_per_token));
  grow(room.product_rows,
       all * (static_cast<std::size_t>(model.deepest + kGroupDepth - 1) / kGroupDepth));
}

void reserve(const PackedDecoder& model, Workspace& room) {
  const DecoderShape& shape = model.shape;
  const Widths& widths = model.widths;
  const std::size_t rows = room.rows.size();
  const auto width = [rows](std::int64_t size) { return rows * static_cast<std::size_t>(size); };
  grow(room.x, width(widths.hidden));
  grow(room.block, width(widths.hidden));
  if (shape.embedding_size > 0) grow(room.table_rows, width(widths.table));
  grow(room.normed, width(std::max(widths.hidden + shape.feature_size, widths.table)));
  grow(room.projected, width(widths.projected()));
  grow(room.attended, width(widths.query));
  grow(room.inner, width(widths.inner));
  grow(room.logits, room.logit_rows.size() * static_cast<std::size_t>(shape.num_logits()));
  grow(room.hidden, room.hidden_rows.size() * static_cast<std::size_t>(model.state_size()));
  if (shape.num_experts > 0) reserve_experts(model, room.experts, rows);
  reserve_product_rows(model, room, rows);
  for (Scratch& scratch : room.scratch) {
    grow(scratch.scores, static_cast<std::size_t>(attend_scratch_size(room.cache->capacity())));
    grow(scratch.weighted, static_cast<std::size_t>(kMaxAttendQueries * widths.head));
    grow(scratch.head, static_cast<std::size_t>(widths.head));
  }
}

/// Rows of the table, read before the team starts: a thread of it must not fail.
void read_streamed_embeddings(const PackedDecoder& model, Workspace& room) {
  const auto width = static_cast<std::size_t>(model.widths.table);
  room.embedded.resize(room.rows.size() * width);
  for (std::size_t r = 0; r < room.rows.size(); ++r)
    model.streaming->embedding_rows.read(room.rows[r].token, room.embedded.data() + r * width);
}

}  // namespace

void RotationTable::reach(std::int32_t length) {
  const std::int32_t size = shape_.rotary_size();
  length = std::min(length, shape_.context_length);
  std::int32_t position = size == 0 ? length : static_cast<std::int32_t>(table_.size()) / size;
  if (position >= length) return;
  table_.reserve(static_cast<std::size_t>(length) * static_cast<std::size_t>(size));
  const bool changes = shape_.rotary_scaling.kind == RotaryScaling::Kind::dynamic;
  RotaryFrequencies frequencies = rotary_frequencies(shape_, base_, position);
  for (; position < length; ++position) {
    if (changes) frequencies = rotary_frequencies(shape_, base_, position);
    for (const double f : frequencies.per_position)
      table_.push_back(static_cast<float>(frequencies.magnitude * std::cos(position * f)));
    for (const double f : frequencies.per_position)
      table_.push_back(static_cast<float>(frequencies.magnitude * std::sin(position * f)));
  }
}

void RotationTable::rotate(const float* in, std::int32_t position, std::int32_t size,
                           float* out) const {
  const std::int32_t turning = shape_.rotary_size(), half = turning / 2;
  const float* cosine = table_.data() + std::int64_t{position} * turning;
  const float* sine = cosine + half;
  for (std::int32_t i = 0; i < half; ++i) {
    out[i] = in[i] * cosine[i] - in[i + half] * sine[i];
    out[i + half] = in[i + half] * cosine[i] + in[i] * sine[i];
  }
  std::copy(in + turning, in + size, out + turning);
}

Workspace::Workspace(const PackedDecoder& model, std::shared_ptr<ThreadTeam> the_team,
                     const CpuKernels* the_kernels)
    : team(std::move(the_team)),
      kernels(the_kernels),
      global_rotation(model.shape, RotaryBase::global),
      window_rotation(model.shape, RotaryBase::window),
      scratch(static_cast<std::size_t>(team->size())) {
  if (!model.streaming) return;
  for (Scratch& of_thread : scratch) {
    of_thread.made = make_huge_buffer(bytes_of_deepest_block(model, 4));
    of_thread.values.resize(static_cast<std::size_t>(model.deepest));
  }
}

void Workspace::begin(const PackedDecoder& model, std::span<const ForwardRow> new_rows,
                      KvCacheCpu& new_cache) {
  rows = new_rows;
  cache = &new_cache;
  choose_rows(*this);
  reach_rotations(model, *this);
  reserve(model, *this);
  if (model.streaming) read_streamed_embeddings(model, *this);
}

}  // namespace speclab::engines::cpu
