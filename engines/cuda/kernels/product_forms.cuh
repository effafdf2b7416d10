#pragma once
// The cut that a product of the engine takes, by its form, its rows and its size. Which cut is
// fastest where was measured by gpu_bench ladder on an H200 (results/reference/gpu_h200).

#include "engines/cuda/kernels/product_at_once.cuh"

namespace speclab::engines::cuda {

/// The fetch hint slows products of the 1B and 8B shapes and is within noise for small ones, so no
/// cut here asks for it.
template <int kBlocks, int kStages, int kResident, Feed kFeed, int kAhead = 1,
          Refill kRefill = Refill::before>
using PlainCut = Cut<kBlocks, kStages, kResident, kFeed, kAhead, kRefill, CopyHint::none>;

template <int kColumnTiles, int kResident, typename Epilogue>
void launch_streamed(const ProductArguments& a, const Epilogue& epilogue,
                     const LaunchContext& context) {
  launch_product_cut<kColumnTiles, PlainCut<1, 8, kResident, Feed::ahead, 1, Refill::behind>>(
      a, epilogue, context);
}

/// Activations stay in registers as far as these reach.
template <int kColumnTiles, typename Epilogue>
void launch_kept(const ProductArguments& a, const Epilogue& epilogue,
                 const LaunchContext& context) {
  constexpr bool kIsOne = kColumnTiles == 1;
  using Short = PlainCut<1, kIsOne ? 12 : 10, 2, Feed::in_registers, 8>;
  using Long = PlainCut<1, kIsOne ? 12 : 24, kIsOne ? 2 : 1, Feed::in_registers, 16>;
  using Longest = PlainCut<2, kIsOne ? 5 : 3, 2, Feed::in_ring>;
  if (has_room<kColumnTiles, Short>(a.columns))
    return launch_product_cut<kColumnTiles, Short>(a, epilogue, context);
  if (has_room<kColumnTiles, Long>(a.columns))
    return launch_product_cut<kColumnTiles, Long>(a, epilogue, context);
  launch_product_cut<kColumnTiles, Longest>(a, epilogue, context);
}

/// Of up to 8 rows: as many tiles ahead as registers allow when all thread blocks run at the same
/// time; two blocks of rows, which share activations, where there are many.
template <typename Epilogue>
void launch_at_once_8(const ProductArguments& a, const Epilogue& epilogue,
                      const LaunchContext& context) {
  if (a.blocks <= 2 * context.num_multiprocessors)
    return launch_product_at_once<1, 6, 2, 1>(a, epilogue, context);
  if (a.blocks <= 3 * context.num_multiprocessors)
    return launch_product_at_once<1, 4, 3, 1>(a, epilogue, context);
  launch_product_at_once<1, 4, 2, 2>(a, epilogue, context);
}

/// Of up to 16 rows, whose activations weigh twice as much.
template <typename Epilogue>
void launch_at_once_16(const ProductArguments& a, const Epilogue& epilogue,
                       const LaunchContext& context) {
  using Kept = PlainCut<1, 10, 2, Feed::in_registers, 8>;
  if (a.blocks <= 2 * context.num_multiprocessors)
    return launch_product_at_once<2, 4, 2, 1>(a, epilogue, context);
  if (has_room<2, Kept>(a.columns)) return launch_product_cut<2, Kept>(a, epilogue, context);
  launch_product_at_once<2, 3, 2, 2>(a, epilogue, context);
}

/// @param rows  upper bound of *a.num_rows, at most 64
template <typename Epilogue>
void launch_product(const ProductArguments& a, const Epilogue& epilogue, int rows,
                    const LaunchContext& context) {
  if (rows > 32) return launch_streamed<8, 1>(a, epilogue, context);
  if (rows > 16) return launch_streamed<4, 2>(a, epilogue, context);
  const bool is_narrow = rows <= 8;
  switch (context.form) {
    case ProductForm::at_once:
      return is_narrow ? launch_at_once_8(a, epilogue, context)
                       : launch_at_once_16(a, epilogue, context);
    case ProductForm::kept:
      return is_narrow ? launch_kept<1>(a, epilogue, context)
                       : launch_kept<2>(a, epilogue, context);
    case ProductForm::streamed:
      return is_narrow ? launch_streamed<1, 3>(a, epilogue, context)
                       : launch_streamed<2, 2>(a, epilogue, context);
  }
}

}  // namespace speclab::engines::cuda
