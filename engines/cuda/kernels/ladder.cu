#include "engines/cuda/kernels/ladder.h"

#include "engines/cuda/kernels/product_at_once.cuh"

namespace speclab::engines::cuda {
namespace {

struct StoreSums {
  static constexpr bool kReducesBlocks = false;
  using Early = NothingEarly;
  float* output;
  std::int32_t size;

  __device__ Early load_early(int, int, int) const { return {}; }
  __device__ void take_pair(int block, int r, int m, float low, float high, const Early&, float&,
                            float&) const {
    float* out = output + static_cast<std::int64_t>(m) * size + block * kTileRows + r;
    out[0] = low;
    out[8] = high;
  }
};

StoreSums store(const ProductArguments& a, float* output) { return {output, a.blocks * kTileRows}; }

template <int kColumnTiles, typename C>
LadderVariant cut(const char* rung, const char* description) {
  return {rung,
          description,
          8 * kColumnTiles,
          C::kOrder,
          C::kFeed != Feed::none,
          has_room<kColumnTiles, C>,
          [](const ProductArguments& a, float* output, const LaunchContext& context) {
            launch_product_cut<kColumnTiles, C>(a, store(a, output), context);
          }};
}

template <int kColumnTiles, int kAhead, int kResident, int kBlocks = 1>
LadderVariant at_once(const char* description) {
  return {"V8",
          description,
          8 * kColumnTiles,
          TileOrder::by_block,
          true,
          [](int) { return true; },
          [](const ProductArguments& a, float* output, const LaunchContext& context) {
            launch_product_at_once<kColumnTiles, kAhead, kResident, kBlocks>(a, store(a, output),
                                                                             context);
          }};
}

constexpr Refill kBehind = Refill::behind, kBefore = Refill::before;
constexpr CopyHint k256 = CopyHint::fetch_256, kNoHint = CopyHint::none;

}  // namespace

const std::vector<LadderVariant>& product_ladder() {
  static const std::vector<LadderVariant> all{
      cut<1, Cut<1, 8, 3>>("V0", "one tile ahead"),
      cut<1, Cut<1, 8, 3, Feed::none>>("V1", "no activations"),
      cut<1, Cut<1, 8, 3, Feed::ahead, 1, kBefore>>("V2", "copies first"),
      cut<1, Cut<1, 8, 3, Feed::ahead, 4>>("V2", "four tiles ahead"),
      cut<1, Cut<1, 8, 3, Feed::ahead, 4, kBefore>>("V2", "four tiles ahead and copies first"),
      cut<1, Cut<1, 8, 3, Feed::ahead, 1, kBehind, kNoHint>>("V3", "no fetch hint"),
      cut<1, Cut<1, 8, 3, Feed::ahead, 1, kBehind, k256, TileOrder::by_columns>>(
          "V4", "tiles by columns"),
      cut<1, Cut<2, 4, 3, Feed::ahead, 1>>("V4", "two blocks of rows at a time"),
      cut<1, Cut<4, 4, 1, Feed::ahead, 2>>("V4", "four blocks of rows at a time"),
      cut<1, Cut<1, 6, 2, Feed::in_shared>>("V5", "activations in shared memory"),
      cut<1, Cut<1, 16, 1, Feed::in_shared, 1, kBefore>>(
          "V5", "activations in shared memory with a long ring"),
      cut<1, Cut<1, 8, 2, Feed::in_ring>>("V5", "activations in the ring"),
      cut<1, Cut<1, 5, 3, Feed::in_ring, 1, kBefore>>("V5", "activations in a short ring"),
      cut<1, Cut<2, 5, 2, Feed::in_ring, 1, kBefore>>("V5",
                                                      "activations in the ring of two blocks"),
      cut<1, Cut<1, 12, 2, Feed::in_registers, 8, kBefore>>(
          "V6", "activations in registers up to 2048 columns"),
      cut<1, Cut<1, 24, 1, Feed::in_registers, 16, kBefore>>(
          "V6", "activations in registers up to 4096 columns"),
      cut<1, Cut<1, 12, 2, Feed::in_registers, 16, kBefore>>(
          "V6", "activations in registers up to 4096 columns with two thread blocks"),
      at_once<1, 8, 2>("eight tiles of weights in registers"),
      at_once<1, 4, 3>("four tiles of weights in registers"),
      at_once<1, 16, 1>("sixteen tiles of weights in registers"),
      at_once<1, 6, 2>("six tiles of weights in registers"),
      at_once<1, 4, 2, 2>("four tiles of two blocks in registers"),
      cut<1, Cut<1, 8, 3, Feed::none, 1, kBehind, kNoHint>>("V1",
                                                            "no activations and no fetch hint"),
      cut<1, Cut<2, 4, 3, Feed::ahead, 1, kBehind, kNoHint>>(
          "V4", "two blocks of rows at a time and no fetch hint"),
      cut<1, Cut<1, 8, 2, Feed::in_ring, 1, kBehind, kNoHint>>(
          "V5", "activations in the ring and no fetch hint"),
      cut<1, Cut<2, 5, 2, Feed::in_ring, 1, kBefore, kNoHint>>(
          "V5", "activations in the ring of two blocks and no fetch hint"),
      cut<1, Cut<1, 12, 2, Feed::in_registers, 8, kBefore, kNoHint>>(
          "V6", "activations in registers up to 2048 columns and no fetch hint"),
      cut<1, Cut<1, 12, 2, Feed::in_registers, 16, kBefore, kNoHint>>(
          "V6",
          "activations in registers up to 4096 columns with two thread blocks and no fetch hint"),
      cut<2, Cut<1, 8, 2>>("V0", "one tile ahead"),
      cut<2, Cut<1, 8, 2, Feed::none>>("V1", "no activations"),
      cut<2, Cut<1, 8, 2, Feed::ahead, 1, kBefore>>("V2", "copies first"),
      cut<2, Cut<1, 8, 2, Feed::ahead, 4>>("V2", "four tiles ahead"),
      cut<2, Cut<1, 8, 2, Feed::ahead, 4, kBefore>>("V2", "four tiles ahead and copies first"),
      cut<2, Cut<1, 8, 2, Feed::ahead, 1, kBehind, kNoHint>>("V3", "no fetch hint"),
      cut<2, Cut<1, 8, 2, Feed::ahead, 1, kBehind, k256, TileOrder::by_columns>>(
          "V4", "tiles by columns"),
      cut<2, Cut<2, 4, 2, Feed::ahead, 1>>("V4", "two blocks of rows at a time"),
      cut<2, Cut<4, 4, 1, Feed::ahead, 2>>("V4", "four blocks of rows at a time"),
      cut<2, Cut<1, 10, 1, Feed::in_shared, 1, kBefore>>("V5", "activations in shared memory"),
      cut<2, Cut<1, 6, 2, Feed::in_ring, 1, kBefore>>("V5", "activations in the ring"),
      cut<2, Cut<2, 3, 2, Feed::in_ring, 1, kBefore>>("V5",
                                                      "activations in the ring of two blocks"),
      cut<2, Cut<1, 24, 1, Feed::in_registers, 8, kBefore>>(
          "V6", "activations in registers up to 2048 columns"),
      cut<2, Cut<1, 24, 1, Feed::in_registers, 16, kBefore>>(
          "V6", "activations in registers up to 4096 columns"),
      at_once<2, 4, 2>("four tiles of weights in registers"),
      at_once<2, 8, 1>("eight tiles of weights in registers"),
      at_once<2, 4, 1, 2>("four tiles of two blocks in registers"),
      at_once<2, 3, 2, 2>("three tiles of two blocks in registers"),
      cut<2, Cut<1, 8, 2, Feed::none, 1, kBehind, kNoHint>>("V1",
                                                            "no activations and no fetch hint"),
      cut<2, Cut<1, 10, 1, Feed::in_shared, 1, kBefore, kNoHint>>(
          "V5", "activations in shared memory and no fetch hint"),
      cut<2, Cut<2, 3, 2, Feed::in_ring, 1, kBefore, kNoHint>>(
          "V5", "activations in the ring of two blocks and no fetch hint"),
      cut<2, Cut<4, 4, 1, Feed::in_ring, 1, kBefore, kNoHint>>(
          "V5", "activations in the ring of four blocks and no fetch hint"),
      cut<2, Cut<1, 10, 2, Feed::in_registers, 8, kBefore, kNoHint>>(
          "V6",
          "activations in registers up to 2048 columns with two thread blocks and no fetch hint"),
      cut<2, Cut<1, 24, 1, Feed::in_registers, 16, kBefore, kNoHint>>(
          "V6", "activations in registers up to 4096 columns and no fetch hint")};
  return all;
}

}  // namespace speclab::engines::cuda
