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

/// Four codes of a step; those of the middle depths change places, see kDepthOfByte.
std::uint32_t with_bytes_in_place(std::uint32_t word) {
  return (word & 0xFF0000FFU) | (word >> 8 & 0x0000FF00U) | (word << 8 & 0x00FF0000U);
}

std::uint32_t load_word(const std::uint8_t* from) {
  std::uint32_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

void store_word(std::uint8_t* to, std::uint32_t word) { std::memcpy(to, &word, sizeof word); }

/// Words of one column's group.
struct GroupPlace {
  std::uint8_t *steps, *high;  ///< steps are kStepBytes apart, high bits kVectorBytes
  int shift;                   ///< of a nibble
  std::uint32_t low_mask, high_mask;
  int high_bits, steps_a_byte;

  GroupPlace(const RecordLayout& layout, std::uint8_t* record, int column, int group)
      : steps(record + layout.steps_at(group) + column / kLanesPerVector * kVectorBytes +
              column % kLanesPerVector * kStepDepth),
        high(record + layout.high_at(group) +
             column / kLanesPerVector * layout.high_bits() * kVectorBytes +
             column % kLanesPerVector * kStepDepth),
        shift(group % layout.groups_a_step() * 4),
        low_mask(layout.bits == 8 ? 0xFFFFFFFFU : 0x0F0F0F0FU),
        high_mask(((1U << layout.high_bits()) - 1) * 0x01010101U),
        high_bits(layout.high_bits()),
        steps_a_byte(high_bits == 0 ? kStepsPerGroup : 8 / high_bits) {}
};

void put_codes(const GroupPlace& place, const std::uint8_t* codes) {
  std::uint32_t high[2] = {};
  for (int step = 0; step < kStepsPerGroup; ++step) {
    const std::uint32_t word = with_bytes_in_place(load_word(codes + step * kStepDepth));
    std::uint8_t* out = place.steps + step * kStepBytes;
    store_word(out, load_word(out) | (word & place.low_mask) << place.shift);
    high[step / place.steps_a_byte] |= (word >> 4 & place.high_mask)
                                       << (step % place.steps_a_byte * place.high_bits);
  }
  for (int i = 0; i < place.high_bits; ++i) store_word(place.high + i * kVectorBytes, high[i]);
}

void read_codes(const GroupPlace& place, std::uint8_t* codes) {
  for (int step = 0; step < kStepsPerGroup; ++step) {
    std::uint32_t word = load_word(place.steps + step * kStepBytes) >> place.shift & place.low_mask;
    if (place.high_bits > 0) {
      const std::uint32_t high = load_word(place.high + step / place.steps_a_byte * kVectorBytes);
      word |= (high >> (step % place.steps_a_byte * place.high_bits) & place.high_mask) << 4;
    }
    store_word(codes + step * kStepDepth, with_bytes_in_place(word));
  }
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

/// Scale and minimum of half `half` of a group.
ScaleOf16 scale_at(WeightForm form, const std::uint8_t* record, int column, int group, int half) {
  switch (form) {
    case WeightForm::q4_1:
      return {half_at(record + 2 * group * kHalfBytes, column),
              half_at(record + (2 * group + 1) * kHalfBytes, column)};
    case WeightForm::q4_k: {
      const std::uint8_t* scales = record + 2 * kHalfBytes + group * kBlockColumns + column;
      return {
          half_at(record, column) * static_cast<float>(scales[0]),
          -(half_at(record + kHalfBytes, column) * static_cast<float>(scales[8 * kBlockColumns]))};
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
      put_codes({layout, record, column, group}, codes.codes.data() + g * kGroupDepth);
  }
}

void unpack_column(WeightForm form, const char* block, int column, int depth, float* out) {
  const RecordLayout layout = record_layout(form);
  // Reading changes nothing; a place has one kind of pointer for both ways.
  auto* record = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(block));
  std::uint8_t codes[kGroupDepth];
  for (int k = 0; k < depth; ++k) {
    const int group = k / kGroupDepth % layout.groups, in_group = k % kGroupDepth;
    if (k > 0 && in_group == 0 && group == 0) record += layout.bytes();
    if (in_group == 0) read_codes({layout, record, column, group}, codes);
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
      out[2 + k] = static_cast<std::byte>(
          static_cast<std::int8_t>(scale > 0 ? std::round(group[k] / scale) : 0.0f));
  }
  return blocks;
}

}  // namespace speclab::engines::cpu
