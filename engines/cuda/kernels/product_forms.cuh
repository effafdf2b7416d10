#pragma once
// The cut that a product of the engine takes, by its form, its rows and its columns.

#include "engines/cuda/kernels/product_at_once.cuh"

namespace speclab::engines::cuda {

template <int kColumnTiles, typename Epilogue>
void launch_kept_in_registers(const ProductArguments& a, const Epilogue& epilogue, const LaunchContext& context) {
  using Short = Cut<1, kColumnTiles == 1 ? 12 : 24, kColumnTiles == 1 ? 2 : 1, Feed::in_registers, 8, Refill::before>;
  using Long = Cut<1, kColumnTiles == 1 ? 12 : 24, kColumnTiles == 1 ? 2 : 1, Feed::in_registers, 16, Refill::before>;
  using Longest = Cut<1, kColumnTiles == 1 ? 5 : 6, kColumnTiles == 1 ? 3 : 2, Feed::in_ring, 1, Refill::before>;
  if (has_room<kColumnTiles, Short>(a.columns)) return launch_product_cut<kColumnTiles, Short>(a, epilogue, context);
  if (has_room<kColumnTiles, Long>(a.columns)) return launch_product_cut<kColumnTiles, Long>(a, epilogue, context);
  launch_product_cut<kColumnTiles, Longest>(a, epilogue, context);
}

/// Of up to 16 rows.
template <int kColumnTiles, typename Epilogue>
void launch_product_form(const ProductArguments& a, const Epilogue& epilogue, const LaunchContext& context) {
  constexpr int kResident = kColumnTiles == 1 ? 3 : 2;
  switch (context.form) {
    case ProductForm::one_ahead: return launch_product_cut<kColumnTiles, Cut<1, 8, kResident>>(a, epilogue, context);
    case ProductForm::copies_first: return launch_product_cut<kColumnTiles, Cut<1, 8, kResident, Feed::ahead, 1, Refill::before>>(a, epilogue, context);
    case ProductForm::four_ahead: return launch_product_cut<kColumnTiles, Cut<1, 8, kResident, Feed::ahead, 4, Refill::before>>(a, epilogue, context);
    case ProductForm::in_ring: return launch_product_cut<kColumnTiles, Cut<1, kColumnTiles == 1 ? 5 : 6, kResident, Feed::in_ring, 1, Refill::before>>(a, epilogue, context);
    case ProductForm::two_blocks_in_ring: return launch_product_cut<kColumnTiles, Cut<2, kColumnTiles == 1 ? 5 : 3, 2, Feed::in_ring, 1, Refill::before>>(a, epilogue, context);
    case ProductForm::in_registers: return launch_kept_in_registers<kColumnTiles>(a, epilogue, context);
    case ProductForm::at_once: return launch_product_at_once<kColumnTiles, kColumnTiles == 1 ? 6 : 4, 2, 1>(a, epilogue, context);
  }
}

/// @param rows  upper bound of *a.num_rows, at most 64
template <typename Epilogue>
void launch_product(const ProductArguments& a, const Epilogue& epilogue, int rows, const LaunchContext& context) {
  if (rows <= 8) return launch_product_form<1>(a, epilogue, context);
  if (rows <= 16) return launch_product_form<2>(a, epilogue, context);
  if (rows <= 32) return launch_product_cut<4, Cut<1, 8, 2>>(a, epilogue, context);
  launch_product_cut<8, Cut<1, 8, 1>>(a, epilogue, context);
}

}  // namespace speclab::engines::cuda
