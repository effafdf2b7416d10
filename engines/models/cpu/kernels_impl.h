// The source of every instruction set's kernels: included once by each kernels_<isa>.cpp, which defines
// SPECLAB_KERNELS_NAMESPACE. Vectors are GCC vector types of 64 bytes, lowered to what the instruction set has.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "engines/models/cpu/kernels.h"
#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

typedef float Vector __attribute__((vector_size(64)));
typedef std::int32_t IntVector __attribute__((vector_size(64)));
typedef std::uint32_t UintVector __attribute__((vector_size(64)));
constexpr int kLanes = 16;
constexpr int kVectorsPerBlock = kBlockColumns / kLanes;
constexpr int kMaxTileRows = 12;

inline Vector load(const float* p) {
  Vector v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, Vector v) { std::memcpy(p, &v, sizeof v); }
inline Vector splat(float x) { return x - Vector{}; }
inline Vector as_float(UintVector v) { return reinterpret_cast<Vector>(v); }
inline UintVector as_bits(Vector v) { return reinterpret_cast<UintVector>(v); }
inline Vector choose(IntVector mask, Vector a, Vector b) { return mask ? a : b; }

/// Sum of the lanes in one fixed order.
inline float lane_sum(Vector v) {
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) v[i] += v[i + width];
  return v[0];
}

inline float lane_max(Vector v) {
  float best = v[0];
  for (int i = 1; i < kLanes; ++i) best = v[i] > best ? v[i] : best;
  return best;
}

/// exp(x) for x <= 0, relative error below 2e-7; 0 below -87. Cody-Waite reduction, degree-6 polynomial.
inline Vector exp_nonpositive(Vector x) {
  const IntVector underflow = x < splat(-87.0f);
  x = choose(underflow, splat(-87.0f), x);
  const Vector shifter = splat(12582912.0f);
  const Vector n = (x * 1.44269504f + shifter) - shifter;
  Vector r = x - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  Vector poly = splat(1.3888889e-3f);
  for (const float c : {8.3333333e-3f, 4.1666667e-2f, 1.6666667e-1f, 0.5f, 1.0f, 1.0f}) poly = poly * r + c;
  const IntVector exponent = (__builtin_convertvector(n, IntVector) + 127) << 23;
  const Vector result = poly * reinterpret_cast<Vector>(exponent);
  return choose(underflow, Vector{}, result);
}

inline UintVector round_to_bfloat16(Vector v) {
  const UintVector bits = as_bits(v);
  return (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
}

inline void store_as(Vector v, float* out) { store(out, v); }
inline void store_as(Vector v, BFloat16* out) {
  typedef std::uint16_t Half __attribute__((vector_size(32)));
  const Half half = __builtin_convertvector(round_to_bfloat16(v), Half);
  std::memcpy(out, &half, sizeof half);
}

/// What a product of one weight step and one activation step is, by element type.
template <typename Element>
struct Step;

template <>
struct Step<float> {
  static constexpr int kDepth = 1;
  using Broadcast = Vector;
  static Broadcast broadcast(const float* x) { return splat(*x); }
  static Vector add(Vector acc, const float* weights, Broadcast x) { return acc + load(weights) * x; }
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
  static Vector add(Vector acc, const BFloat16* weights, Broadcast x) {
    const __m512i w = _mm512_loadu_si512(weights);
    return reinterpret_cast<Vector>(_mm512_dpbf16_ps(reinterpret_cast<__m512>(acc), bit_cast_bh(w), x));
  }
#else
  struct Broadcast { float low, high; };
  static float widen(BFloat16 v) {
    const std::uint32_t bits = std::uint32_t{v} << 16;
    float f;
    std::memcpy(&f, &bits, sizeof f);
    return f;
  }
  static Broadcast broadcast(const BFloat16* x) { return {widen(x[0]), widen(x[1])}; }
  static Vector add(Vector acc, const BFloat16* weights, Broadcast x) {
    UintVector pair;
    std::memcpy(&pair, weights, sizeof pair);
    acc = acc + as_float(pair << 16) * x.low;
    return acc + as_float(pair & 0xFFFF0000u) * x.high;
  }
#endif
};

inline Vector silu(Vector x) {
  const IntVector negative = x < Vector{};
  const Vector e = exp_nonpositive(choose(negative, x, -x));
  return choose(negative, x * e, x) / (1.0f + e);
}

/// Writes one row's block of sums according to the epilogue.
template <typename Element>
inline void finish_block(const MultiplyArgs& args, int row, int block, const Vector (&sum)[kVectorsPerBlock]) {
  if (args.epilogue == Epilogue::silu_gate) {
    Element* out = static_cast<Element*>(args.out) + row * args.out_stride + block * kLanes;
    return store_as(silu(sum[0]) * sum[1], out);
  }
  float* out = static_cast<float*>(args.out) + row * args.out_stride + block * kBlockColumns;
  for (int v = 0; v < kVectorsPerBlock; ++v) {
    const int left = args.columns - block * kBlockColumns - v * kLanes;
    if (left >= kLanes) {
      store(out + v * kLanes, args.epilogue == Epilogue::add ? load(out + v * kLanes) + sum[v] : sum[v]);
    } else {
      for (int i = 0; i < left; ++i) out[v * kLanes + i] = args.epilogue == Epilogue::add ? out[v * kLanes + i] + sum[v][i] : sum[v][i];
    }
  }
}

/// `Rows` rows against one block of columns; each weight is loaded once.
template <typename Element, int Rows>
inline void multiply_tile(const MultiplyArgs& args, int first_row, int block) {
  constexpr int kDepthStep = Step<Element>::kDepth;
  constexpr int kStepElements = kBlockColumns * kDepthStep;
  constexpr int kPrefetchElements = 4096 / static_cast<int>(sizeof(Element));
  const Element* weights = static_cast<const Element*>(args.weights) + static_cast<std::int64_t>(block) * kBlockColumns * args.depth;
  const Element* x = static_cast<const Element*>(args.x) + first_row * args.x_stride;
  Vector sum[Rows][kVectorsPerBlock] = {};
  for (int k = 0; k < args.depth; k += kDepthStep, weights += kStepElements) {
    __builtin_prefetch(weights + kPrefetchElements);
    __builtin_prefetch(weights + kPrefetchElements + kStepElements / 2);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const auto broadcast = Step<Element>::broadcast(x + r * args.x_stride + k);
#pragma GCC unroll 2
      for (int v = 0; v < kVectorsPerBlock; ++v)
        sum[r][v] = Step<Element>::add(sum[r][v], weights + v * kLanes * kDepthStep, broadcast);
    }
  }
  for (int r = 0; r < Rows; ++r) finish_block<Element>(args, first_row + r, block, sum[r]);
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

template <typename Element>
void rms_norm_as(const float* x, const float* weight, int size, float epsilon, Element* out) {
  Vector squares = {};
  for (int i = 0; i < size; i += kLanes) squares = squares + load(x + i) * load(x + i);
  const float scale = 1.0f / std::sqrt(lane_sum(squares) / static_cast<float>(size) + epsilon);
  for (int i = 0; i < size; i += kLanes) store_as(load(x + i) * scale * load(weight + i), out + i);
}

void rms_norm(const float* x, const float* weight, int size, float epsilon, ElementType type, void* out) {
  if (type == ElementType::float32) return rms_norm_as(x, weight, size, epsilon, static_cast<float*>(out));
  rms_norm_as(x, weight, size, epsilon, static_cast<BFloat16*>(out));
}

void convert(const float* x, int size, ElementType type, void* out) {
  for (int i = 0; i < size; i += kLanes) {
    if (type == ElementType::float32) store_as(load(x + i), static_cast<float*>(out) + i);
    else store_as(load(x + i), static_cast<BFloat16*>(out) + i);
  }
}

/// Scaled dot products with `Blocks` blocks of keys, each lane a sum over the head in ascending order.
template <int Blocks>
inline void score_blocks(const AttendArgs& args, int first_block) {
  const std::int64_t block_floats = static_cast<std::int64_t>(args.head_dim) * kKeyBlock;
  const float* keys = args.keys + first_block * block_floats;
  Vector sum[Blocks] = {};
  for (int d = 0; d < args.head_dim; ++d)
    for (int b = 0; b < Blocks; ++b) sum[b] = sum[b] + load(keys + b * block_floats + d * kKeyBlock) * args.query[d];
  for (int b = 0; b < Blocks; ++b) store(args.scores + (first_block + b) * kKeyBlock, sum[b] * args.scale);
}

inline void score(const AttendArgs& args) {
  const int blocks = (args.num_slots + kKeyBlock - 1) / kKeyBlock;
  int block = 0;
  for (; block + 4 <= blocks; block += 4) score_blocks<4>(args, block);
  for (; block < blocks; ++block) score_blocks<1>(args, block);
}

/// Brings the visible scores into order of position, padded with -infinity. @return how many are visible
inline int order_scores(const AttendArgs& args, float* ordered) {
  int count = args.prefix;
  std::memcpy(ordered, args.scores, sizeof(float) * static_cast<std::size_t>(args.prefix));
  for (int i = 0; i < args.num_extra; ++i) ordered[count++] = args.scores[args.extra[i]];
  for (int i = count; i % kLanes != 0; ++i) ordered[i] = -INFINITY;
  return count;
}

/// Turns scores into exponentials of the distance to the largest. @return their sum
inline float exponentiate(float* scores, int count) {
  Vector largest = splat(-INFINITY);
  for (int i = 0; i < count; i += kLanes) largest = load(scores + i) > largest ? load(scores + i) : largest;
  const Vector top = splat(lane_max(largest));
  Vector sum = {};
  for (int i = 0; i < count; i += kLanes) {
    const Vector e = exp_nonpositive(load(scores + i) - top);
    store(scores + i, e);
    sum = sum + e;
  }
  return lane_sum(sum);
}

template <int Vectors>
inline void weigh_values(const AttendArgs& args, const float* weights, int first_dim, float scale) {
  Vector sum[Vectors] = {};
  const float* values = args.values + first_dim;
  auto add = [&](int slot, float weight) {
    for (int v = 0; v < Vectors; ++v) sum[v] = sum[v] + load(values + static_cast<std::int64_t>(slot) * args.head_dim + v * kLanes) * weight;
  };
  for (int j = 0; j < args.prefix; ++j) add(j, weights[j]);
  for (int j = 0; j < args.num_extra; ++j) add(args.extra[j], weights[args.prefix + j]);
  for (int v = 0; v < Vectors; ++v) store(args.weighted + first_dim + v * kLanes, sum[v] * scale);
}

void attend(const AttendArgs& args) {
  score(args);
  float* ordered = args.scores + (args.num_slots + kKeyBlock - 1) / kKeyBlock * kKeyBlock;
  const int count = order_scores(args, ordered);
  const float scale = 1.0f / exponentiate(ordered, count);
  int dim = 0;
  for (; dim + 4 * kLanes <= args.head_dim; dim += 4 * kLanes) weigh_values<4>(args, ordered, dim, scale);
  for (; dim < args.head_dim; dim += kLanes) weigh_values<1>(args, ordered, dim, scale);
}

/// The largest value; NaN if there is one.
inline float largest_of(const float* values, int size) {
  constexpr int kStreams = 4;
  Vector streams[kStreams];
  for (Vector& stream : streams) stream = splat(-INFINITY);
  IntVector unordered = {};
  int i = 0;
  for (; i + kStreams * kLanes <= size; i += kStreams * kLanes)
    for (int s = 0; s < kStreams; ++s) {
      const Vector v = load(values + i + s * kLanes);
      unordered = unordered | (v != v);
      streams[s] = v > streams[s] ? v : streams[s];
    }
  Vector largest = streams[0];
  for (const Vector& stream : streams) largest = stream > largest ? stream : largest;
  float best = lane_max(largest);
  bool any_nan = false;
  for (int lane = 0; lane < kLanes; ++lane) any_nan |= unordered[lane] != 0;
  for (; i < size; ++i) {
    any_nan |= values[i] != values[i];
    best = values[i] > best ? values[i] : best;
  }
  return any_nan ? NAN : best;
}

double softmax(const float* logits, int size, float inverse_temperature, float* probabilities) {
  const Vector top = splat(largest_of(logits, size));
  double total = 0;
  Vector sum = {};
  int i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    const Vector e = exp_nonpositive((load(logits + i) - top) * inverse_temperature);
    store(probabilities + i, e);
    sum = sum + e;
    if (i % 4096 == 4096 - kLanes) {
      total += lane_sum(sum);
      sum = Vector{};
    }
  }
  total += lane_sum(sum);
  for (; i < size; ++i) total += probabilities[i] = std::exp((logits[i] - top[0]) * inverse_temperature);
  const float scale = static_cast<float>(1.0 / total);
  for (i = 0; i + kLanes <= size; i += kLanes) store(probabilities + i, load(probabilities + i) * scale);
  for (; i < size; ++i) probabilities[i] *= scale;
  return total;
}

/// The largest value first, then a second look for its first place, a stride of vectors at a time.
int arg_max(const float* values, int size) {
  constexpr int kStride = 4 * kLanes;
  const float best = largest_of(values, size);
  int i = 0;
  if (best != best) {
    while (values[i] == values[i]) ++i;
    return i;
  }
  for (; i + kStride <= size; i += kStride) {
    IntVector found = {};
    for (int v = 0; v < kStride; v += kLanes) found = found | (load(values + i + v) == best);
    bool any = false;
    for (int lane = 0; lane < kLanes; ++lane) any |= found[lane] != 0;
    if (any) break;
  }
  while (i < size && !(values[i] == best)) ++i;
  return i < size ? i : 0;
}

std::uint64_t read_sum(const void* data, std::int64_t bytes) {
  typedef std::uint64_t Words __attribute__((vector_size(64)));
  constexpr int kStreams = 4;
  Words sum[kStreams] = {};
  const char* p = static_cast<const char*>(data);
  for (std::int64_t i = 0; i + kStreams * 64 <= bytes; i += kStreams * 64) {
    __builtin_prefetch(p + i + 4096);
    for (int s = 0; s < kStreams; ++s) {
      Words w;
      std::memcpy(&w, p + i + s * 64, sizeof w);
      sum[s] = sum[s] + w;
    }
  }
  std::uint64_t total = 0;
  for (const Words& s : sum)
    for (int i = 0; i < 8; ++i) total += s[i];
  return total;
}

}  // namespace

extern const CpuKernels kKernels;
const CpuKernels kKernels = {SPECLAB_KERNELS_NAME, multiply<float>, multiply<BFloat16>, rms_norm, attend, convert, softmax, arg_max, read_sum};

}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
