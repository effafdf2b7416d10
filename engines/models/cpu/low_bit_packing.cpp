#include "engines/models/cpu/low_bit_packing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "engines/formats/block_codes.h"
#include "engines/formats/dequantise.h"
#include "sim/core/errors.h"

namespace speclab::engines::cpu {
namespace {

constexpr int kLanesPerVector = kBlockColumns / 2;
constexpr int kHalfBytes = 2 * kBlockColumns;  ///< of one half a column

struct NamedForm {
  WeightForm form;
  std::string_view name;
};
constexpr std::array<NamedForm, 6> kLowBitForms = {{{WeightForm::q4_0, "Q4_0"},
                                                    {WeightForm::q4_1, "Q4_1"},
                                                    {WeightForm::q5_0, "Q5_0"},
                                                    {WeightForm::q8_0, "Q8_0"},
                                                    {WeightForm::q4_k, "Q4_K"},
                                                    {WeightForm::q6_k, "Q6_K"}}};

const BlockFormat& block_format(WeightForm form) {
  const BlockFormat* format = find_block_format(name_of(form));
  SPECLAB_EXPECT(format != nullptr, "a low-bit form has a GGUF type");
  return *format;
}

/// Place of a column's bytes among those of a step.
int in_step(int column) {
  return column / kLanesPerVector * kVectorBytes + column % kLanesPerVector * kStepDepth;
}

/// Calls work(byte, code's place in the group, shift) for the nibbles, or whole codes, of a group.
template <typename Byte, typename Work>
void for_each_low(const RecordLayout& layout, Byte* record, int column, int group,
                  const Work& work) {
  Byte* first = record + layout.steps_at(group) + in_step(column);
  const int shift = group % layout.groups_a_step() * 4;
  for (int step = 0; step < kStepsPerGroup; ++step)
    for (int b = 0; b < kStepDepth; ++b)
      work(first[step * kStepBytes + b], step * kStepDepth + kDepthOfByte[b], shift);
}

/// The same for the bits above the nibbles.
template <typename Byte, typename Work>
void for_each_high(const RecordLayout& layout, Byte* record, int column, int group,
                   const Work& work) {
  const int bits = layout.high_bits(), steps_a_byte = bits == 0 ? 1 : 8 / bits;
  if (bits == 0) return;
  Byte* first = record + layout.high_at(group) +
                column / kLanesPerVector * bits * kVectorBytes +
                column % kLanesPerVector * kStepDepth;
  for (int step = 0; step < kStepsPerGroup; ++step)
    for (int b = 0; b < kStepDepth; ++b)
      work(first[step / steps_a_byte * kVectorBytes + b], step * kStepDepth + kDepthOfByte[b],
           step % steps_a_byte * bits);
}

void put_codes(const RecordLayout& layout, std::uint8_t* record, int column, int group,
               const std::uint8_t* codes) {
  const int low_mask = layout.bits == 8 ? 0xFF : 0x0F;
  for_each_low(layout, record, column, group, [&](std::uint8_t& byte, int place, int shift) {
    byte = static_cast<std::uint8_t>(byte | (codes[place] & low_mask) << shift);
  });
  for_each_high(layout, record, column, group, [&](std::uint8_t& byte, int place, int shift) {
    byte = static_cast<std::uint8_t>(byte | codes[place] >> 4 << shift);
  });
}

void read_codes(const RecordLayout& layout, const std::uint8_t* record, int column, int group,
                std::uint8_t* codes) {
  const int low_mask = layout.bits == 8 ? 0xFF : 0x0F, high_mask = (1 << layout.high_bits()) - 1;
  for_each_low(layout, record, column, group, [&](std::uint8_t byte, int place, int shift) {
    codes[place] = static_cast<std::uint8_t>(byte >> shift & low_mask);
  });
  for_each_high(layout, record, column, group, [&](std::uint8_t byte, int place, int shift) {
    codes[place] = static_cast<std::uint8_t>(codes[place] | (byte >> shift & high_mask) << 4);
  });
}

void put_half(std::uint8_t* halves, int column, std::uint16_t half) {
  std::memcpy(halves + 2 * column, &half, sizeof half);
}

float half_at(const std::uint8_t* halves, int column) {
  std::uint16_t half;
  std::memcpy(&half, halves + 2 * column, sizeof half);
  return half_to_float(half);
}

/// Scales of the block whose first group is `group` of the record.
void put_scales(WeightForm form, std::uint8_t* record, int column, int group,
                const BlockCodes& block) {
  const auto put_bytes = [&](int at, const auto& bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      record[at + static_cast<int>(i) * kBlockColumns + column] = bytes[i];
  };
  switch (form) {
    case WeightForm::q4_1:
      put_half(record + 2 * group * kHalfBytes, column, block.scale);
      return put_half(record + (2 * group + 1) * kHalfBytes, column, block.minimum);
    case WeightForm::q4_k:
      put_half(record, column, block.scale);
      put_half(record + kHalfBytes, column, block.minimum);
      put_bytes(2 * kHalfBytes, std::span(block.sub_scales).first(8));
      return put_bytes(2 * kHalfBytes + 8 * kBlockColumns, block.sub_minima);
    case WeightForm::q6_k:
      put_half(record, column, block.scale);
      return put_bytes(kHalfBytes, block.sub_scales);
    default:
      return put_half(record + group * kHalfBytes, column, block.scale);
  }
}

struct ScaleOf16 {
  float scale, minimum;
};

/// Of half `half` of a group.
ScaleOf16 scale_at(WeightForm form, const std::uint8_t* record, int column, int group, int half) {
  switch (form) {
    case WeightForm::q4_1:
      return {half_at(record + 2 * group * kHalfBytes, column),
              half_at(record + (2 * group + 1) * kHalfBytes, column)};
    case WeightForm::q4_k: {
      const std::uint8_t* scales = record + 2 * kHalfBytes + group * kBlockColumns + column;
      return {half_at(record, column) * static_cast<float>(scales[0]),
              -(half_at(record + kHalfBytes, column) *
                static_cast<float>(scales[8 * kBlockColumns]))};
    }
    case WeightForm::q6_k: {
      const auto scale = static_cast<std::int8_t>(
          record[kHalfBytes + (2 * group + half) * kBlockColumns + column]);
      return {half_at(record, column) * static_cast<float>(scale), 0};
    }
    default:
      return {half_at(record + group * kHalfBytes, column), 0};
  }
}

}  // namespace

std::optional<WeightForm> low_bit_form(std::string_view gguf_type) {
  for (const NamedForm& each : kLowBitForms)
    if (each.name == gguf_type) return each.form;
  return std::nullopt;
}

std::string_view name_of(WeightForm form) {
  for (const NamedForm& each : kLowBitForms)
    if (each.form == form) return each.name;
  return form == WeightForm::float32 ? "float32" : "bfloat16";
}

void pack_row(WeightForm form, std::span<const std::byte> row, char* block, int column) {
  const BlockFormat& format = block_format(form);
  const ReadBlockCodes read = find_block_codes(format.ggml_type);
  const RecordLayout layout = record_layout(form);
  const int groups_a_block = static_cast<int>(format.block_elements) / kGroupDepth;
  auto* record = reinterpret_cast<std::uint8_t*>(block);
  BlockCodes codes;
  int group = 0;
  for (std::size_t at = 0; at < row.size(); at += format.block_bytes) {
    if (group == layout.groups) {
      record += layout.bytes();
      group = 0;
    }
    read(row.data() + at, codes);
    put_scales(form, record, column, group, codes);
    for (int g = 0; g < groups_a_block; ++g, ++group)
      put_codes(layout, record, column, group, codes.codes.data() + g * kGroupDepth);
  }
}

void unpack_column(WeightForm form, const char* block, int column, int depth, float* out) {
  const RecordLayout layout = record_layout(form);
  const auto* record = reinterpret_cast<const std::uint8_t*>(block);
  std::uint8_t codes[kGroupDepth];
  for (int k = 0; k < depth; ++k) {
    const int group = k / kGroupDepth % layout.groups, in_group = k % kGroupDepth;
    if (k > 0 && in_group == 0 && group == 0) record += layout.bytes();
    if (in_group == 0) read_codes(layout, record, column, group, codes);
    const ScaleOf16 scale = scale_at(form, record, column, group, in_group / 16);
    out[k] = scale.scale * static_cast<float>(codes[in_group] - layout.zero) + scale.minimum;
  }
}

std::vector<std::byte> quantised_to_q8_0(std::span<const float> values) {
  const BlockFormat& format = block_format(WeightForm::q8_0);
  std::vector<std::byte> blocks(values.size() / kGroupDepth * format.block_bytes);
  std::byte* out = blocks.data();
  for (std::size_t i = 0; i < values.size(); i += kGroupDepth, out += format.block_bytes) {
    const auto group = values.subspan(i, kGroupDepth);
    float largest = 0;
    for (const float value : group) largest = std::max(largest, std::abs(value));
    const float scale = largest / 127.0f;
    const std::uint16_t half = float_to_half(scale);
    std::memcpy(out, &half, sizeof half);
    for (std::size_t k = 0; k < kGroupDepth; ++k)
      out[2 + k] = static_cast<std::byte>(static_cast<std::int8_t>(
          scale > 0 ? std::round(group[k] / scale) : 0.0f));
  }
  return blocks;
}

}  // namespace speclab::engines::cpu
