#pragma once
// The time of a few layers' products decides in which form exact products read low-bit weights. The
// file's form and the expanded one give the same bits.
//
// Kernels that expand low-bit weights fast keep both forms, and each number of rows has its own.
// Others keep one: both would take more memory than bfloat16, for little.

#include <memory>
#include <vector>

#include "engines/cpu/packed_decoder.h"

namespace speclab::engines::cpu {

struct Workspace;

/// Sets the most rows whose products take less time on low-bit weights than on expanded ones. The
/// model holds both, or has nothing to choose.
void choose_low_bit_rows(PackedDecoder& model, Workspace& room);

/// Whether these kernels keep one form, which the probe chooses.
inline bool keeps_one_form(const NumberForms& numbers, const CpuKernels& kernels) {
  return numbers.weights == WeightChoice::fastest && !kernels.expands_fast;
}

/// Seconds that the products of a few layers take.
struct FormTimes {
  double low_bit, expanded;  ///< exact, in these forms
  double int8;               ///< low-bit, at int8 activations
};

/// Whether the file's form is at most as slow as the expanded one, where steps of one row and
/// verified rounds of several count alike.
bool is_low_bit_faster(const FormTimes& one_row, const FormTimes& several_rows);

struct FormChoice {
  NumberForms numbers;          ///< one form for all rows
  std::vector<Layer> layers{};  ///< the first layers of the model in it
  double speedup_of_int8 = 0;   ///< of products of one row; 0: not measured
};

/// The choice for kernels that keep one form. Layers that were loaded for the probe stay in that
/// form; the other form is freed.
FormChoice choose_form(const DecoderShape& shape, const DecoderWeights& weights,
                       const std::shared_ptr<ThreadTeam>& team, const CpuKernels* kernels);

}  // namespace speclab::engines::cpu
