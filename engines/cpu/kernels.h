#pragma once
// The CPU kernels of the decoder, as plain functions behind one table per instruction set.
//
// Every output element is a sum over the depth in ascending order, whatever the number of rows,
// tiles or threads: all kernels are row-invariant by construction. Free of torch and of the
// standard containers, because each instruction set compiles the same source once.

#include <cstdint>

#include "engines/cpu/weight_form.h"
#include "engines/models/layer_kinds.h"

namespace speclab::engines::cpu {

using BFloat16 = std::uint16_t;  ///< upper half of a float32

enum class ElementType : std::uint8_t { float32, bfloat16 };

/// Slots a block of cached keys holds; one vector.
inline constexpr int kKeyBlock = 16;

/// The use of the sums, bias included.
enum class Epilogue : std::uint8_t {
  store,     ///< out = sums, float32
  add,       ///< out += sums, float32
  activate,  ///< out = activation(sums), in out_type
  gate,      ///< per block 16 gate columns then 16 up columns: out = activation(gate) * up, in
             ///< out_type, 16 columns a block
};

/// out[rows, columns] from x[rows, depth] and blocks [block_begin, block_end) of a packed matrix.
struct MultiplyArgs {
  const void* weights = nullptr;  ///< packed, see PackedMatrix
  WeightForm form = WeightForm::bfloat16;
  ProductKind kind = ProductKind::exact;  ///< of low-bit weights
  const void* x = nullptr;                ///< element type of the kernel; stride in elements. Of
                                          ///< inexact products groups [depth / 32][stride] of rows
  std::int64_t x_stride = 0;
  void* out = nullptr;
  ElementType out_type = ElementType::float32;  ///< of activate and gate
  std::int64_t out_stride = 0;
  int rows = 0;
  int depth = 0;        ///< even
  int first_block = 0;  ///< the one that `weights` begins with
  int block_begin = 0;
  int block_end = 0;
  int columns = 0;  ///< columns that exist; the last block may be padded
  Epilogue epilogue = Epilogue::store;
  Activation activation = Activation::silu;
  const float* bias = nullptr;  ///< [blocks * kBlockColumns] in the order of the columns, or null
};

/// Queries that meet a key or a value while it is in a register.
inline constexpr int kMaxAttendQueries = 4;

/// One query head of one row.
struct AttendQuery {
  const float* query = nullptr;         ///< [head_dim], rotated, unscaled
  int prefix = 0;                       ///< it sees slots [0, prefix) ...
  const std::int32_t* extra = nullptr;  ///< ... and then these, in ascending order of position
  int num_extra = 0;
  int begin = 0;              ///< of what it sees in that order, it skips as many: a window
  float* weighted = nullptr;  ///< [head_dim] result, float32
};

/// Queries of one sequence against the cached keys and values of one head.
struct AttendArgs {
  const AttendQuery* queries = nullptr;
  int num_queries = 0;                            ///< 1 to kMaxAttendQueries
  ElementType cache_type = ElementType::float32;  ///< of keys and values
  const void* keys = nullptr;                     ///< [slots / kKeyBlock, head_dim, kKeyBlock]
  const void* values = nullptr;                   ///< [slots, head_dim]
  int head_dim = 0;                               ///< multiple of 16
  int num_slots = 0;                              ///< no query sees a slot from here on
  float scale = 0;
  float soft_cap = 0;       ///< c: scores become c tanh(score / c); 0: they stay
  float* scores = nullptr;  ///< scratch, attend_scratch_size(num_slots) floats
};

/// One vector. All arrays are padded with zeros to whole vectors of 16.
struct NormArgs {
  NormKind kind = NormKind::rms;
  const float* x = nullptr;
  const float* weight = nullptr;
  const float* bias = nullptr;  ///< or null
  int size = 0;                 ///< values that count
  int width = 0;  ///< values to go over, zeros between them included; 0: size. RMS only
  float epsilon = 0;
  ElementType type = ElementType::float32;
  void* out = nullptr;  ///< in `type`; may be x where that is float32
};

/// Two rows of scores a query, in whole blocks of keys.
constexpr std::int64_t attend_scratch_size(std::int64_t num_slots) {
  return std::int64_t{2} * kMaxAttendQueries * ((num_slots + kKeyBlock - 1) / kKeyBlock) *
         kKeyBlock;
}

/// Groups [begin, end) of rows of activations, counted as [group][row].
struct GroupArgs {
  ProductKind kind = ProductKind::int8;  ///< an inexact one
  const float* x = nullptr;              ///< [rows, x_stride]
  std::int64_t x_stride = 0;
  int rows = 0;
  int begin = 0, end = 0;
  void* out = nullptr;  ///< Int8Group or BFloat16Group, [depth / 32][rows]
};

/// Values of a vocabulary whose exponentials share a sum.
inline constexpr int kSoftmaxChunk = 4096;

/// At most one chunk: out = exp((logits - top) * inverse_temperature).
struct ExponentialArgs {
  const float* logits = nullptr;
  int size = 0;
  float top = 0;  ///< at least the largest of the logits
  float inverse_temperature = 1;
  float* out = nullptr;
};

struct CpuKernels {
  const char* name;
  bool expands_fast;  ///< low-bit weights become bfloat16 about as fast as memory brings that
  void (*multiply_float32)(const MultiplyArgs& args);
  void (*multiply_bfloat16)(const MultiplyArgs& args);
  void (*multiply_low_bit)(const MultiplyArgs& args);
  /// One block of low-bit columns in bfloat16. @param out  [depth / 2][32][2]
  void (*expand_block)(WeightForm form, const void* block, int depth, BFloat16* out);
  void (*make_groups)(const GroupArgs& args);
  void (*norm)(const NormArgs& args);
  void (*attend)(const AttendArgs& args);
  /// Rounds to nearest even, or copies, into `type`.
  void (*convert)(const float* x, int size, ElementType type, void* out);
  /// values = cap tanh(values / cap), in place.
  void (*soft_cap)(float* values, int size, float cap);
  /// The largest value; NaN if there is one; minus infinity of none.
  float (*largest)(const float* values, int size);
  /// @return the sum of what was written; NaN where `top` is minus infinity or no number
  double (*exponentials)(const ExponentialArgs& args);
  /// values = values * factor, in place.
  void (*scale)(float* values, int size, float factor);
  /// Lowest index of the largest value; where there are NaN, index of one.
  int (*arg_max)(const float* values, int size);
  /// Sum of the bytes read as 64-bit words; for the bandwidth probe.
  std::uint64_t (*read_sum)(const void* data, std::int64_t bytes);
};

/// The tables that this processor can run, in falling order of preference; a null pointer ends the
/// list.
const CpuKernels* const* runnable_kernels();
/// The first of them.
const CpuKernels* best_kernels();

}  // namespace speclab::engines::cpu
