#pragma once
// Products of rows with a packed matrix.

#include <cstdint>
#include <cstring>

#include "engines/cpu/kernels/vectors.h"
#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

constexpr int kVectorsPerBlock = kBlockColumns / kLanes;
constexpr int kAccumulators =
    kVectorRegisters * 3 / 4;  ///< sums that stay in registers beside weights and activations
constexpr int kMaxTileRows = kAccumulators / kVectorsPerBlock;

/// Weights of two depths of 16 columns, in bfloat16 or rounded to it.
#ifdef __AVX512BF16__
using WeightPair = __m512bh;
#else
struct WeightPair {
  Vector even, odd;
};
#endif

/// The product of one weight step and one activation step, by element type.
template <typename Element>
struct Step;

template <>
struct Step<float> {
  static constexpr int kDepth = 1;
  using Broadcast = Register;
  static Broadcast broadcast(const float* x) { return splat_register(*x); }
  static Vector add(Vector acc, const float* weights, Broadcast x) {
    return acc + load(weights) * x;
  }
};

template <>
struct Step<BFloat16> {
  static constexpr int kDepth = 2;
#ifdef __AVX512BF16__
  using Broadcast = __m512bh;
  static __m512bh bit_cast_bh(__m512i v) { return reinterpret_cast<__m512bh>(v); }
  static Broadcast broadcast(const BFloat16* x) {
    std::int32_t pair;
    std::memcpy(&pair, x, sizeof pair);
    const __m512i v = _mm512_set1_epi32(pair);
    return bit_cast_bh(v);
  }
  static WeightPair load_pair(const BFloat16* weights) {
    return bit_cast_bh(_mm512_loadu_si512(weights));
  }
  static Vector add(Vector acc, WeightPair weights, Broadcast x) {
    return reinterpret_cast<Vector>(_mm512_dpbf16_ps(reinterpret_cast<__m512>(acc), weights, x));
  }
#else
  struct Broadcast {
    Register even, odd;
  };
  static Broadcast broadcast(const BFloat16* x) {
    std::uint32_t pair;
    std::memcpy(&pair, x, sizeof pair);
    const UintRegister v = pair - UintRegister{};
    return {as_float(v << 16), as_float(v & 0xFFFF0000u)};
  }
  static WeightPair load_pair(const BFloat16* weights) {
    UintVector pair;
    copy_lanes(weights, pair);
    return {as_float(pair << 16), as_float(pair & 0xFFFF0000u)};
  }
  static Vector add(Vector acc, WeightPair weights, Broadcast x) {
    acc = acc + weights.even * x.even;
    return acc + weights.odd * x.odd;
  }
#endif
  static Vector add(Vector acc, const BFloat16* weights, Broadcast x) {
    return add(acc, load_pair(weights), x);
  }
};

/// Writes one vector of a row in the element type of the next product.
inline void store_output(const MultiplyArgs& args, Vector v, int row, std::int64_t column) {
  const std::int64_t at = row * args.out_stride + column;
  if (args.out_type == ElementType::float32)
    store_as(v, static_cast<float*>(args.out) + at);
  else
    store_as(v, static_cast<BFloat16*>(args.out) + at);
}

/// Writes one row's block of activated sums. The columns are whole vectors.
inline void activate_block(const MultiplyArgs& args, int row, int block,
                           const Vector (&sum)[kVectorsPerBlock]) {
  for (int v = 0; v < kVectorsPerBlock; ++v)
    if (const int column = block * kBlockColumns + v * kLanes; column < args.columns)
      store_output(args, activated(args.activation, sum[v]), row, column);
}

/// Writes one row's block of sums, or adds it to what is there.
inline void store_block(const MultiplyArgs& args, int row, int block,
                        const Vector (&sum)[kVectorsPerBlock]) {
  float* out = static_cast<float*>(args.out) + row * args.out_stride + block * kBlockColumns;
  for (int v = 0; v < kVectorsPerBlock; ++v) {
    const int left = args.columns - block * kBlockColumns - v * kLanes;
    if (left >= kLanes) {
      store(out + v * kLanes,
            args.epilogue == Epilogue::add ? load(out + v * kLanes) + sum[v] : sum[v]);
    } else {
      for (int i = 0; i < left; ++i)
        out[v * kLanes + i] =
            args.epilogue == Epilogue::add ? out[v * kLanes + i] + sum[v][i] : sum[v][i];
    }
  }
}

/// Finishes one row's block of sums according to the epilogue.
inline void finish_block(const MultiplyArgs& args, int row, int block,
                         Vector (&sum)[kVectorsPerBlock]) {
  if (args.bias != nullptr)
    for (int v = 0; v < kVectorsPerBlock; ++v)
      sum[v] = sum[v] + load(args.bias + block * kBlockColumns + v * kLanes);
  if (args.epilogue == Epilogue::gate)
    return store_output(args, activated(args.activation, sum[0]) * sum[1], row, block * kLanes);
  if (args.epilogue == Epilogue::activate) return activate_block(args, row, block, sum);
  store_block(args, row, block, sum);
}

/// Calls for the weights of later steps. One or two rows wait for memory only: one stream into the
/// first-level cache is fastest. More rows are bound by arithmetic as well: a short stream there
/// and a long one into the second level hide the memory behind it (Zen 4, 8 rows of bfloat16
/// against 1 row: 1.0 times the time with both, 1.1 to 1.7 with the first alone).
template <int Rows, int StepElements, typename Element>
inline void prefetch_weights(const Element* weights) {
  constexpr int kManyRows = 3;
  constexpr int kKibElements = 1024 / static_cast<int>(sizeof(Element));
  constexpr int kNear = (Rows < kManyRows ? 4 : 1) * kKibElements;
  constexpr int kFar = 16 * kKibElements;
  __builtin_prefetch(weights + kNear);
  __builtin_prefetch(weights + kNear + StepElements / 2);
  if constexpr (Rows < kManyRows) return;
  __builtin_prefetch(weights + kFar, 0, 2);
  __builtin_prefetch(weights + kFar + StepElements / 2, 0, 2);
}

/// `Rows` rows against one block of columns; each weight is loaded once.
template <typename Element, int Rows>
inline void multiply_tile(const MultiplyArgs& args, int first_row, int block) {
  constexpr int kDepthStep = Step<Element>::kDepth;
  constexpr int kStepElements = kBlockColumns * kDepthStep;
  const Element* weights =
      static_cast<const Element*>(args.weights) +
      static_cast<std::int64_t>(block - args.first_block) * kBlockColumns * args.depth;
  const Element* x = static_cast<const Element*>(args.x) + first_row * args.x_stride;
  Vector sum[Rows][kVectorsPerBlock] = {};
  for (int k = 0; k < args.depth; k += kDepthStep, weights += kStepElements) {
    prefetch_weights<Rows, kStepElements>(weights);
    unrolled<Rows>([&](auto r) __attribute__((always_inline)) {
      const auto broadcast = Step<Element>::broadcast(x + r * args.x_stride + k);
      unrolled<kVectorsPerBlock>([&](auto v) __attribute__((always_inline)) {
        sum[r][v] = Step<Element>::add(sum[r][v], weights + v * kLanes * kDepthStep, broadcast);
      });
    });
  }
  for (int r = 0; r < Rows; ++r) finish_block(args, first_row + r, block, sum[r]);
}

template <typename Element, int Rows = kMaxTileRows>
inline void multiply_tile_of(int rows, const MultiplyArgs& args, int first_row, int block) {
  if constexpr (Rows > 1) {
    if (rows < Rows) return multiply_tile_of<Element, Rows - 1>(rows, args, first_row, block);
  }
  multiply_tile<Element, Rows>(args, first_row, block);
}

template <typename Element>
void multiply(const MultiplyArgs& args) {
  const int tiles = (args.rows + kMaxTileRows - 1) / kMaxTileRows;
  for (int block = args.block_begin; block < args.block_end; ++block) {
    for (int tile = 0, row = 0; tile < tiles; ++tile) {
      const int rows = (args.rows - row + tiles - tile - 1) / (tiles - tile);
      multiply_tile_of<Element>(rows, args, row, block);
      row += rows;
    }
  }
}

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
