#pragma once
// Products of a few rows of activations with a packed weight matrix: every weight is read once,
// through a ring of asynchronous copies that starts before the kernel in front has ended. An
// element's sum runs in the same order whatever rows are beside it.

#include "engines/cuda/kernels/device_functions.cuh"
#include "engines/cuda/kernels/launch.cuh"
#include "engines/cuda/kernels/product_arguments.h"

namespace speclab::engines::cuda {

inline constexpr int kWarps = 8, kThreads = 32 * kWarps;
inline constexpr int kEarlyPartials =
    8;  ///< partial sums of squares that a lane loads before the product
/// Shared memory that each of `resident` thread blocks gets on a multiprocessor of compute
/// capability 9.0: the runtime keeps 1 KB of each.
constexpr int most_shared_bytes(int resident) { return 228 * 1024 / resident - 1024; }

/// How a warp comes by the activations that a tile of weights meets.
enum class Feed {
  ahead,         ///< global loads, `kAhead` tiles ahead
  in_registers,  ///< the warp's share of all columns, loaded once and kept; at most `kAhead` tiles
                 ///< a warp
  in_shared,     ///< the same in shared memory
  in_ring,       ///< copies through the ring, beside the weights
  none           ///< constants: what the weights alone would take; the sums mean nothing
};

/// When the ring is filled again: behind a tile's products, or before them.
enum class Refill { behind, before };

/// How a product is cut: `kBlocks` blocks of 16 weight rows at a time, so that activations are read
/// once for all of them, `kStages` steps of copies per warp, `kResident` thread blocks on a
/// multiprocessor.
template <int kBlocksValue, int kStagesValue, int kResidentValue, Feed kFeedValue = Feed::ahead,
          int kAheadValue = 1, Refill kRefillValue = Refill::behind,
          CopyHint kHintValue = CopyHint::fetch_256, TileOrder kOrderValue = TileOrder::by_block>
struct Cut {
  static constexpr int kBlocks = kBlocksValue, kStages = kStagesValue, kResident = kResidentValue,
                       kAhead = kAheadValue;
  static constexpr Feed kFeed = kFeedValue;
  static constexpr Refill kRefill = kRefillValue;
  static constexpr CopyHint kHint = kHintValue;
  static constexpr TileOrder kOrder = kOrderValue;
};

/// 16-byte pieces that a thread has in one stage of the ring.
template <int kColumnTiles, typename C>
inline constexpr int kPiecesOfStage =
    2 * C::kBlocks + (C::kFeed == Feed::in_ring ? kColumnTiles : 0);

/// What an epilogue without early loads has of a pair.
struct NothingEarly {};

/// Bytes of the warps' sums and of what the epilogue keeps.
template <int kColumnTiles, int kBlocks>
constexpr int epilogue_bytes() {
  constexpr int kColumns = kColumnTiles * 8;
  return (kWarps * kBlocks * kTileRows * kColumns + kBlocks * 8 * kColumns + kColumns) * 4;
}

/// @param columns  of the product, a multiple of 32
template <int kColumnTiles, typename C>
constexpr int product_shared_bytes(int columns) {
  const int own_tiles = (columns / kTileColumns + kWarps - 1) / kWarps,
            kept = C::kFeed == Feed::in_shared ? own_tiles * kColumnTiles : 0;
  return (C::kStages * kPiecesOfStage<kColumnTiles, C> + kept) * kThreads * 16 +
         epilogue_bytes<kColumnTiles, C::kBlocks>();
}

/// Where each of this lane's rows of activations begins, null where there is none.
template <int kColumnTiles>
struct RowPointers {
  const uint4* at[kColumnTiles];

  __device__ RowPointers(const ProductArguments& a, int num_rows) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int t = 0; t < kColumnTiles; ++t) {
      const int m = t * 8 + lane / 4;
      const int row = m < num_rows && a.gather ? a.gather[m] : m;
      at[t] = m < num_rows
                  ? reinterpret_cast<const uint4*>(static_cast<const std::uint16_t*>(a.input) +
                                                   static_cast<std::int64_t>(row) * a.columns) +
                        lane % 4
                  : nullptr;
    }
  }

  /// This lane's 8 columns of tile `tile`; zeros where there is no row.
  __device__ void load(int tile, uint4 (&b)[kColumnTiles]) const {
#pragma unroll
    for (int t = 0; t < kColumnTiles; ++t)
      b[t] = at[t] != nullptr ? at[t][tile * 4] : make_uint4(0, 0, 0, 0);
  }
};

/// Streams the tiles of this warp: columns warp, warp + 8, ... of every group of blocks that this
/// thread block works on.
template <int kColumnTiles, typename C>
class TileStream {
 public:
  __device__ TileStream(const ProductArguments& a, uint4* ring, int own_tiles)
      : weights_(static_cast<const uint4*>(a.weights) + threadIdx.x % 32),
        ring_(ring + threadIdx.x),
        tiles_(a.columns / kTileColumns),
        own_tiles_(own_tiles),
        blocks_(a.blocks),
        group_(static_cast<int>(blockIdx.x)),
        tile_(static_cast<int>(threadIdx.x) / 32) {}

  /// Starts the copies that need no activations: all stages but one.
  __device__ void fill() {
    for (int i = 0; i < C::kStages - 1; ++i) start_copy(nullptr);
  }

  /// Starts the copy of the next tiles, if there are any. @param rows  of activations that are
  /// copied too, or null
  __device__ void start_copy(const RowPointers<kColumnTiles>* rows) {
    if (group_ * C::kBlocks < blocks_ && own_tiles_ > 0) {
#pragma unroll
      for (int i = 0; i < C::kBlocks; ++i) {
        const int block = group_ * C::kBlocks + i;
        if (block < blocks_) {
          const uint4* source = weights_ + tile_at(C::kOrder, block, tile_, blocks_, tiles_) * 64;
          copy_async_16<C::kHint>(piece(in_, 2 * i), source);
          copy_async_16<C::kHint>(piece(in_, 2 * i + 1), source + 32);
        }
      }
      if (rows != nullptr) copy_activations(*rows, in_, tile_);
      advance();
    }
    commit_copies();
    in_ = in_ + 1 == C::kStages ? 0 : in_ + 1;
  }

  /// The activations of the stages that `fill` started; all of these stages are there afterwards.
  __device__ void add_activations(const RowPointers<kColumnTiles>& rows) {
    for (int i = 0; i < C::kStages - 1 && own_tiles_ > 0; ++i)
      copy_activations(rows, i, static_cast<int>(threadIdx.x) / 32 + i % own_tiles_ * kWarps);
    commit_copies();
    wait_for_copies<0>();
  }

  __device__ void wait() const {
    wait_for_copies<C::kRefill == Refill::before ? C::kStages - 1 : C::kStages - 2>();
  }
  /// This lane's 8 columns of rows lane / 4 and lane / 4 + 8 of block `i` of the oldest tiles.
  __device__ uint4 low(int i) const { return *piece(out_, 2 * i); }
  __device__ uint4 high(int i) const { return *piece(out_, 2 * i + 1); }
  /// This lane's activations of the oldest tiles.
  __device__ void activations(const RowPointers<kColumnTiles>& rows,
                              uint4 (&b)[kColumnTiles]) const {
#pragma unroll
    for (int t = 0; t < kColumnTiles; ++t)
      b[t] = rows.at[t] != nullptr ? *piece(out_, 2 * C::kBlocks + t) : make_uint4(0, 0, 0, 0);
  }
  __device__ void drop() { out_ = out_ + 1 == C::kStages ? 0 : out_ + 1; }

 private:
  __device__ uint4* piece(int stage, int number) const {
    return ring_ + (stage * kPiecesOfStage<kColumnTiles, C> + number) * kThreads;
  }

  __device__ void copy_activations(const RowPointers<kColumnTiles>& rows, int stage, int tile) {
#pragma unroll
    for (int t = 0; t < kColumnTiles; ++t)
      if (rows.at[t] != nullptr)
        copy_async_16<CopyHint::none>(piece(stage, 2 * C::kBlocks + t), rows.at[t] + tile * 4);
  }

  __device__ void advance() {
    tile_ += kWarps;
    if (tile_ < tiles_) return;
    tile_ = static_cast<int>(threadIdx.x) / 32;
    group_ += static_cast<int>(gridDim.x);
  }

  const uint4* weights_;
  uint4* ring_;
  int tiles_, own_tiles_, blocks_, group_, tile_, in_ = 0, out_ = 0;
};

/// The activations of this warp's tiles, tile by tile of each group.
template <int kColumnTiles, typename C>
class Activations {
 public:
  /// @param kept  of Feed::in_shared: room for this thread block's
  __device__ Activations(const RowPointers<kColumnTiles>& rows, int own_tiles, uint4* kept)
      : rows_(rows),
        own_tiles_(own_tiles),
        warp_(static_cast<int>(threadIdx.x) / 32),
        kept_(kept + threadIdx.x) {}

  /// Once, when they have been written.
  __device__ void prepare(TileStream<kColumnTiles, C>& stream) {
    if constexpr (C::kFeed == Feed::in_registers) load_ahead();
    if constexpr (C::kFeed == Feed::in_ring) stream.add_activations(rows_);
    if constexpr (C::kFeed == Feed::in_shared) {
      for (int i = 0; i < own_tiles_; ++i)
#pragma unroll
        for (int t = 0; t < kColumnTiles; ++t)
          if (rows_.at[t] != nullptr)
            copy_async_16<CopyHint::none>(kept_ + (i * kColumnTiles + t) * kThreads,
                                          rows_.at[t] + tile(i) * 4);
      commit_copies();
      wait_for_copies<0>();
    }
  }

  /// Before the tiles of a group.
  __device__ void begin_group() {
    if constexpr (C::kFeed == Feed::ahead) load_ahead();
  }

  /// Those of tile `i`, which is in place `place` of those ahead. The oldest stage of the stream is
  /// there.
  __device__ void take(int i, int place, const TileStream<kColumnTiles, C>& stream,
                       uint4 (&b)[kColumnTiles]) {
    if constexpr (C::kFeed == Feed::in_ring) {
      stream.activations(rows_, b);
    } else {
#pragma unroll
      for (int t = 0; t < kColumnTiles; ++t) b[t] = kept(i, place, t);
    }
    if constexpr (C::kFeed == Feed::ahead)
      if (i + C::kAhead < own_tiles_) rows_.load(tile(i + C::kAhead), held_[place]);
  }

 private:
  __device__ int tile(int i) const { return warp_ + i * kWarps; }
  __device__ uint4 kept(int i, int place, int t) const {
    if constexpr (C::kFeed == Feed::none)
      return make_uint4(0x3f803f80u, 0x3f803f80u, 0x3f803f80u, 0x3f803f80u);
    else if constexpr (C::kFeed == Feed::in_shared)
      return rows_.at[t] != nullptr ? kept_[(i * kColumnTiles + t) * kThreads]
                                    : make_uint4(0, 0, 0, 0);
    else
      return held_[place][t];
  }
  __device__ void load_ahead() {
#pragma unroll
    for (int i = 0; i < C::kAhead; ++i)
      if (i < own_tiles_) rows_.load(tile(i), held_[i]);
  }

  RowPointers<kColumnTiles> rows_;
  int own_tiles_, warp_;
  uint4* kept_;
  uint4 held_[C::kAhead][kColumnTiles];
};

/// The sum of squares of the rows, from the partial sums that the kernel before left, as the scale
/// of an RMS norm.
template <int kColumnTiles>
__device__ void compute_scales(const ProductArguments& a, int num_rows,
                               const float (&early)[kEarlyPartials], float* scales) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  for (int m = warp; m < num_rows; m += kWarps) {
    const float* partials =
        a.partials + static_cast<std::int64_t>(a.gather ? a.gather[m] : m) * a.num_partials;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < kEarlyPartials; ++i)
      sum += m == warp ? early[i] : i * 32 + lane < a.num_partials ? partials[i * 32 + lane] : 0.0f;
    for (int i = kEarlyPartials * 32 + lane; i < a.num_partials; i += 32) sum += partials[i];
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (lane == 0) scales[m] = rsqrtf(sum * a.inverse_size + a.epsilon);
  }
}

/// What waits in registers while the product runs.
__device__ inline void load_early_partials(const ProductArguments& a, int num_rows,
                                           float (&early)[kEarlyPartials]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  if (a.partials == nullptr || warp >= num_rows) return;
  const float* partials =
      a.partials + static_cast<std::int64_t>(a.gather ? a.gather[warp] : warp) * a.num_partials;
#pragma unroll
  for (int i = 0; i < kEarlyPartials; ++i)
    early[i] = i * 32 + lane < a.num_partials ? partials[i * 32 + lane] : 0.0f;
}

/// The same, to shared memory, which takes no registers while the product runs. A lane reads what
/// it copied itself.
/// @param kept  [kWarps][kEarlyPartials * 32]
__device__ inline void copy_early_partials(const ProductArguments& a, int num_rows, float* kept) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  if (a.partials == nullptr || warp >= num_rows) return;
  const float* partials =
      a.partials + static_cast<std::int64_t>(a.gather ? a.gather[warp] : warp) * a.num_partials;
  for (int i = lane; i < min(a.num_partials, kEarlyPartials * 32); i += 32)
    copy_async_4(kept + warp * kEarlyPartials * 32 + i, partials + i);
  commit_copies();
}

/// compute_scales() of what copy_early_partials() copied.
template <int kColumnTiles>
__device__ void compute_scales(const ProductArguments& a, int num_rows, const float* kept,
                               float* scales) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  wait_for_copies<0>();
  float early[kEarlyPartials];
#pragma unroll
  for (int i = 0; i < kEarlyPartials; ++i)
    early[i] =
        i * 32 + lane < a.num_partials ? kept[(warp * kEarlyPartials + i) * 32 + lane] : 0.0f;
  compute_scales<kColumnTiles>(a, num_rows, early, scales);
}

template <int kColumnTiles, typename C>
__device__ void multiply_group(int own_tiles, TileStream<kColumnTiles, C>& stream,
                               Activations<kColumnTiles, C>& activations,
                               const RowPointers<kColumnTiles>& rows,
                               float (&sum)[C::kBlocks][kColumnTiles][4]) {
  const RowPointers<kColumnTiles>* copied = C::kFeed == Feed::in_ring ? &rows : nullptr;
  activations.begin_group();
  for (int begin = 0; begin < own_tiles; begin += C::kAhead) {
#pragma unroll
    for (int place = 0; place < C::kAhead; ++place) {
      if (begin + place >= own_tiles) break;
      if constexpr (C::kRefill == Refill::before) stream.start_copy(copied);
      uint4 b[kColumnTiles];
      if constexpr (C::kFeed != Feed::in_ring) activations.take(begin + place, place, stream, b);
      stream.wait();
      if constexpr (C::kFeed == Feed::in_ring) activations.take(begin + place, place, stream, b);
#pragma unroll
      for (int k = 0; k < C::kBlocks; ++k) {
        const uint4 low = stream.low(k), high = stream.high(k);
#pragma unroll
        for (int t = 0; t < kColumnTiles; ++t) multiply_add_32(sum[k][t], low, high, b[t]);
      }
      stream.drop();
      if constexpr (C::kRefill == Refill::behind) stream.start_copy(copied);
    }
  }
}

/// The warp's sums, to shared memory: [kWarps][kBlocks * 16][columns].
template <int kColumnTiles, int kBlocks>
__device__ void leave_sums(const float (&sum)[kBlocks][kColumnTiles][4], float* sums) {
  constexpr int kColumns = kColumnTiles * 8;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int k = 0; k < kBlocks; ++k)
#pragma unroll
    for (int t = 0; t < kColumnTiles; ++t) {
      float* out =
          sums + ((warp * kBlocks + k) * kTileRows + lane / 4) * kColumns + t * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(out) = make_float2(sum[k][t][0], sum[k][t][1]);
      *reinterpret_cast<float2*>(out + 8 * kColumns) = make_float2(sum[k][t][2], sum[k][t][3]);
    }
}

/// What a thread block needs to end a group: the warps' sums become elements, two of which, eight
/// rows apart, are a pair that a thread gives to the epilogue. What the epilogue reads of a pair is
/// loaded early, while the product runs.
template <int kColumnTiles, int kBlocks, typename Epilogue>
struct GroupEnd {
  static constexpr int kColumns = kColumnTiles * 8, kRows = kBlocks * kTileRows,
                       kPairs = kBlocks * 8 * kColumns,
                       kOwnPairs = (kPairs + kThreads - 1) / kThreads;
  using Early = typename Epilogue::Early;
  const ProductArguments& a;
  const Epilogue& epilogue;
  int num_rows;
  float *sums, *extra, *scales;  ///< [kWarps][kRows][kColumns], [kBlocks * 8][kColumns], [kColumns]

  __device__ GroupEnd(const ProductArguments& arguments, const Epilogue& given, int rows,
                      void* memory)
      : a(arguments),
        epilogue(given),
        num_rows(rows),
        sums(static_cast<float*>(memory)),
        extra(sums + kWarps * kRows * kColumns),
        scales(extra + kBlocks * 8 * kColumns) {}

  __device__ void load_early(int group, Early (&early)[kOwnPairs]) const {
    for_own_pairs(group, [&](int i, int, const Place& at) {
      early[i] = epilogue.load_early(at.block, at.r, at.m);
    });
  }

  __device__ void finish(int group, const float (&sum)[kBlocks][kColumnTiles][4],
                         const Early (&early)[kOwnPairs]) const {
    leave_sums<kColumnTiles, kBlocks>(sum, sums);
    __syncthreads();
    for_own_pairs(group, [&](int i, int pair, const Place& at) {
      float* first = sums + (at.k * kTileRows + at.r) * kColumns + at.m;
      float low = 0.0f, high = 0.0f;
#pragma unroll
      for (int w = 0; w < kWarps; ++w) {
        low += first[w * kRows * kColumns];
        high += first[(w * kRows + 8) * kColumns];
      }
      const float scale = a.partials != nullptr ? scales[at.m] : 1.0f;
      epilogue.take_pair(at.block, at.r, at.m, low * scale, high * scale, early[i], extra[pair],
                         *first);
    });
    __syncthreads();
    if constexpr (Epilogue::kReducesBlocks) {
      for (int i = static_cast<int>(threadIdx.x); i < kBlocks * kColumns; i += kThreads) {
        const int m = i % kColumns, k = i / kColumns, block = group * kBlocks + k;
        if (m < num_rows && block < a.blocks)
          epilogue.reduce_block(block, m, kColumns, extra + k * 8 * kColumns + m,
                                sums + k * kTileRows * kColumns + m);
      }
      __syncthreads();
    }
  }

 private:
  /// Of a pair: its block of 16 weight rows, number `k` of the group; row r of the block and row r
  /// + 8; row m of the activations.
  struct Place {
    int m, r, k, block;
  };

  template <typename Visit>
  __device__ void for_own_pairs(int group, const Visit& visit) const {
#pragma unroll
    for (int i = 0; i < kOwnPairs; ++i) {
      const int pair = static_cast<int>(threadIdx.x) + i * kThreads, k = pair / kColumns / 8;
      const Place at{pair % kColumns, pair / kColumns % 8, k, group * kBlocks + k};
      if (pair < kPairs && at.m < num_rows && at.block < a.blocks) visit(i, pair, at);
    }
  }
};

template <int kColumnTiles, typename C, typename Epilogue>
__global__ void __launch_bounds__(kThreads, C::kResident)
    product(const ProductArguments a, const Epilogue epilogue) {
  uint4* shared = dynamic_shared<uint4>();
  const int warp = static_cast<int>(threadIdx.x) / 32, tiles = a.columns / kTileColumns,
            own_tiles = tiles > warp ? (tiles - warp + kWarps - 1) / kWarps : 0;
  uint4* kept = shared + C::kStages * kPiecesOfStage<kColumnTiles, C> * kThreads;
  uint4* rest =
      kept +
      (C::kFeed == Feed::in_shared ? (tiles + kWarps - 1) / kWarps * kColumnTiles * kThreads : 0);
  let_next_kernel_start();
  TileStream<kColumnTiles, C> stream(a, shared, own_tiles);
  stream.fill();
  const int num_rows = *a.num_rows;
  const RowPointers<kColumnTiles> rows(a, num_rows);
  const GroupEnd<kColumnTiles, C::kBlocks, Epilogue> end(a, epilogue, num_rows, rest);
  wait_for_previous_kernel();

  float early[kEarlyPartials];
  load_early_partials(a, num_rows, early);
  Activations<kColumnTiles, C> activations(rows, own_tiles, kept);
  activations.prepare(stream);
  for (int group = static_cast<int>(blockIdx.x); group * C::kBlocks < a.blocks;
       group += static_cast<int>(gridDim.x)) {
    typename Epilogue::Early
        early_of_pairs[GroupEnd<kColumnTiles, C::kBlocks, Epilogue>::kOwnPairs];
    end.load_early(group, early_of_pairs);
    float sum[C::kBlocks][kColumnTiles][4] = {};
    multiply_group<kColumnTiles, C>(own_tiles, stream, activations, rows, sum);
    if (a.partials != nullptr && group == static_cast<int>(blockIdx.x))
      compute_scales<kColumnTiles>(a, num_rows, early, end.scales);
    end.finish(group, sum, early_of_pairs);
  }
}

/// Whether the cut has room for the activations of so many columns.
template <int kColumnTiles, typename C>
constexpr bool has_room(int columns) {
  const bool has_registers =
      C::kFeed != Feed::in_registers || columns <= C::kAhead * kWarps * kTileColumns;
  return has_registers &&
         product_shared_bytes<kColumnTiles, C>(columns) <= most_shared_bytes(C::kResident);
}

/// As many thread blocks as run at the same time, so that each streams through its share without a
/// gap.
template <int kColumnTiles, typename C, typename Epilogue>
void launch_product_cut(const ProductArguments& a, const Epilogue& epilogue,
                        const LaunchContext& context) {
  static_assert(has_room<kColumnTiles, C>(kTileColumns));
  if (!has_room<kColumnTiles, C>(a.columns))
    check(cudaErrorInvalidValue, "a product of more columns than its cut has room for");
  const int shared = product_shared_bytes<kColumnTiles, C>(a.columns);
  allow_most_shared_bytes(product<kColumnTiles, C, Epilogue>, shared);
  const int groups = (a.blocks + C::kBlocks - 1) / C::kBlocks,
            resident = context.num_multiprocessors * C::kResident;
  launch(Start::overlapping, product<kColumnTiles, C, Epilogue>,
         dim3(static_cast<unsigned>(groups < resident ? groups : resident)), kThreads, shared,
         context, a, epilogue);
}

}  // namespace speclab::engines::cuda
