#include "engines/cpu/low_bit_packing.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engines/cpu/number_forms.h"
#include "engines/formats/block_codes.h"
#include "engines/formats/dequantise.h"
#include "sim/system/errors.h"

namespace speclab::engines::cpu {
namespace {

constexpr int kLanesPerVector = kBlockColumns / 2;
constexpr int kHalfBytes = 2 * kBlockColumns;  ///< of one half a column

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

/// Places of a group's codes in its record.
struct GroupPlace {
  std::uint8_t *steps, *high;  ///< steps are kStepBytes apart, high bits of a vector kVectorBytes
  int shift;                   ///< of a nibble
  std::uint32_t low_mask, high_mask;
  int high_bits, steps_a_byte;

  GroupPlace(const RecordLayout& layout, std::uint8_t* record, int group)
      : steps(record + layout.steps_at(group)),
        high(record + layout.high_at(group)),
        shift(group % layout.groups_a_step() * 4),
        low_mask(layout.bits == 8 ? 0xFFFFFFFFU : 0x0F0F0F0FU),
        high_mask(((1U << layout.high_bits()) - 1) * 0x01010101U),
        high_bits(layout.high_bits()),
        steps_a_byte(high_bits == 0 ? kStepsPerGroup : 8 / high_bits) {}

  std::uint8_t* step_at(int step, int column) const {
    return steps + step * kStepBytes + column * kStepDepth;
  }
  std::uint8_t* high_at(int byte, int column) const {
    return high + (column / kLanesPerVector * high_bits + byte) * kVectorBytes +
           column % kLanesPerVector * kStepDepth;
  }
};

/// Codes of one block of a file, four to a word, those of all columns side by side.
using Words = std::uint32_t[64][kBlockColumns];

void put_words(const std::uint8_t* codes, int num_words, int column, Words& words) {
  for (int w = 0; w < num_words; ++w) words[w][column] = load_word(codes + 4 * w);
}

/// Calls put(c) for each of so many columns, in any order. Whole vectors have loops of a fixed
/// length, which the compiler makes vector instructions of.
template <typename Put>
void for_columns(int count, const Put& put) {
  int first = 0;
  for (; first + kLanesPerVector <= count; first += kLanesPerVector) {
#pragma GCC ivdep
    for (int lane = 0; lane < kLanesPerVector; ++lane) put(first + lane);
  }
  for (; first < count; ++first) put(first);
}

/// A step of neighbouring columns. The second group of a byte joins the nibbles of the first.
void put_step(const GroupPlace& place, int step, const std::uint32_t* words, int count,
              int first_column) {
  std::uint8_t* out = place.step_at(step, first_column);
  const std::uint32_t mask = place.low_mask;
  const int shift = place.shift;
  if (shift == 0)
    return for_columns(count, [=](int c) {
      store_word(out + c * kStepDepth, with_bytes_in_place(words[c]) & mask);
    });
  for_columns(count, [=](int c) {
    store_word(out + c * kStepDepth,
               load_word(out + c * kStepDepth) | (with_bytes_in_place(words[c]) & mask) << shift);
  });
}

/// The bits above the nibbles, of all steps.
void put_high_bits(const GroupPlace& place, const std::uint32_t (*words)[kBlockColumns], int count,
                   int first_column) {
  std::uint32_t high[2][kBlockColumns] = {};
  for (int step = 0; step < kStepsPerGroup; ++step) {
    std::uint32_t* above = high[step / place.steps_a_byte];
    const std::uint32_t *codes = words[step], mask = place.high_mask;
    const int shift = step % place.steps_a_byte * place.high_bits;
    for_columns(count,
                [=](int c) { above[c] |= (with_bytes_in_place(codes[c]) >> 4 & mask) << shift; });
  }
  for (int byte = 0; byte < place.high_bits; ++byte)
    for (int c = 0, run = 0; c < count; c += run) {
      const int column = first_column + c;
      run = std::min(kLanesPerVector - column % kLanesPerVector, count - c);
      std::memcpy(place.high_at(byte, column), &high[byte][c], sizeof(std::uint32_t) * run);
    }
}

/// @param words  of the group, a step each
void put_codes(const GroupPlace& place, const std::uint32_t (*words)[kBlockColumns], int count,
               int first_column) {
  for (int step = 0; step < kStepsPerGroup; ++step)
    put_step(place, step, words[step], count, first_column);
  if (place.high_bits > 0) put_high_bits(place, words, count, first_column);
}

/// Bytes of two groups whose nibbles stand together in the file as they do in a record.
void put_pairs(const GroupPlace& place, const std::uint32_t (*words)[kBlockColumns], int count,
               int first_column) {
  for (int step = 0; step < kStepsPerGroup; ++step) {
    std::uint8_t* out = place.step_at(step, first_column);
    const std::uint32_t* pairs = words[step];
    for_columns(count,
                [=](int c) { store_word(out + c * kStepDepth, with_bytes_in_place(pairs[c])); });
  }
}

void read_codes(const GroupPlace& place, int column, std::uint8_t* codes) {
  for (int step = 0; step < kStepsPerGroup; ++step) {
    std::uint32_t word = load_word(place.step_at(step, column)) >> place.shift & place.low_mask;
    if (place.high_bits > 0) {
      const std::uint32_t high = load_word(place.high_at(step / place.steps_a_byte, column));
      word |= (high >> (step % place.steps_a_byte * place.high_bits) & place.high_mask) << 4;
    }
    store_word(codes + step * kStepDepth, with_bytes_in_place(word));
  }
}

/// Brings bytes into the second-level cache.
void prefetch(const std::byte* from, std::uint32_t count) {
  constexpr std::uint32_t kLine = 64;
  for (std::uint32_t at = 0; at < count; at += kLine) __builtin_prefetch(from + at, 0, 2);
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

/// Neighbouring columns on their way into a block.
struct Columns {
  std::span<const std::byte* const> rows;
  std::int64_t row_bytes;
  int first;

  int count() const { return static_cast<int>(rows.size()); }
  /// One block of a row. Rows mostly stand one behind the other, so the next columns are read from
  /// as far behind as these take.
  const std::byte* block(int column, std::int64_t at, std::uint32_t bytes) const {
    const std::byte* stored = rows[static_cast<std::size_t>(column)] + at;
    prefetch(stored + count() * row_bytes, bytes);
    return stored;
  }
};

/// A block of Q4_K is a record, and pairs its groups as the record does.
void pack_q4_k(const Columns& columns, std::uint8_t* record) {
  constexpr RecordLayout kLayout = record_layout(WeightForm::q4_k);
  const std::uint32_t bytes = block_format(WeightForm::q4_k).block_bytes;
  Words words;
  BlockCodes codes;
  for (std::int64_t at = 0; at < columns.row_bytes; at += bytes, record += kLayout.bytes()) {
    for (int c = 0; c < columns.count(); ++c) {
      const std::byte* stored = columns.block(c, at, bytes);
      put_words(read_q4_k_scales(stored, codes), kLayout.depth() / 2 / kStepDepth, c, words);
      put_scales(WeightForm::q4_k, record, columns.first + c, 0, codes);
    }
    for (int group = 0; group < kLayout.groups; group += 2)
      put_pairs({kLayout, record, group}, words + group / 2 * kStepsPerGroup, columns.count(),
                columns.first);
  }
}

void pack_codes(WeightForm form, const Columns& columns, std::uint8_t* record) {
  const BlockFormat& format = block_format(form);
  const ReadBlockCodes read = find_block_codes(format.ggml_type);
  const RecordLayout layout = record_layout(form);
  const int groups_a_block = static_cast<int>(format.block_elements) / kGroupDepth;
  Words words;
  BlockCodes codes;
  int group = 0;
  for (std::int64_t at = 0; at < columns.row_bytes; at += format.block_bytes) {
    if (group == layout.groups) {
      record += layout.bytes();
      group = 0;
    }
    for (int c = 0; c < columns.count(); ++c) {
      read(columns.block(c, at, format.block_bytes), codes);
      put_scales(form, record, columns.first + c, group, codes);
      put_words(codes.codes.data(), groups_a_block * kStepsPerGroup, c, words);
    }
    for (int g = 0; g < groups_a_block; ++g, ++group)
      put_codes({layout, record, group}, words + g * kStepsPerGroup, columns.count(),
                columns.first);
  }
}

}  // namespace

void pack_columns(WeightForm form, std::span<const std::byte* const> rows, std::int64_t row_bytes,
                  char* block, int first_column) {
  const Columns columns{rows, row_bytes, first_column};
  auto* record = reinterpret_cast<std::uint8_t*>(block);
  if (form == WeightForm::q4_k)
    pack_q4_k(columns, record);
  else
    pack_codes(form, columns, record);
}

void unpack_column(WeightForm form, const char* block, int column, int depth, float* out) {
  const RecordLayout layout = record_layout(form);
  // Reading changes nothing; a place has one kind of pointer for both ways.
  auto* record = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(block));
  std::uint8_t codes[kGroupDepth];
  for (int k = 0; k < depth; ++k) {
    const int group = k / kGroupDepth % layout.groups, in_group = k % kGroupDepth;
    if (k > 0 && in_group == 0 && group == 0) record += layout.bytes();
    if (in_group == 0) read_codes({layout, record, group}, column, codes);
    const ScaleOf16 scale = scale_at(form, record, column, group, in_group / 16);
    out[k] = scale.scale * static_cast<float>(codes[in_group] - layout.zero) + scale.minimum;
  }
}

}  // namespace speclab::engines::cpu
