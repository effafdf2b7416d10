// The start-up probe: whether low-bit weights make a step faster than expanded ones would.

#include <algorithm>
#include <chrono>

#include "engines/models/cpu/decoder_cpu.h"

namespace speclab::engines::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kFewBytes = std::int64_t{8} << 20;   ///< fit into caches: nothing to gain
constexpr std::int64_t kManyBytes = std::int64_t{64} << 20;  ///< enough to see the memory
constexpr int kPasses = 3;
constexpr double kMargin = 0.95;  ///< a smaller gain would change from run to run

double seconds_of(const auto& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Best of a few, which other programs disturb least.
double best_seconds_of(const auto& work) {
  double best = seconds_of(work);
  for (int pass = 1; pass < kPasses; ++pass) best = std::min(best, seconds_of(work));
  return best;
}

}  // namespace

/// Low-bit matrices of layers, until they are too large for caches.
std::vector<const PackedMatrix*> DecoderCpu::probed_matrices() const {
  std::vector<const PackedMatrix*> matrices;
  std::int64_t bytes = 0;
  for (const Layer& layer : layers_)
    for (const Linear* linear :
         {&layer.query_key_value, &layer.attention_output, &layer.first, &layer.down}) {
      if (!linear->matrix.is_low_bit() || bytes >= kManyBytes) continue;
      matrices.push_back(&linear->matrix);
      bytes += linear->matrix.bytes();
    }
  return bytes >= kFewBytes ? matrices : std::vector<const PackedMatrix*>{};
}

double DecoderCpu::seconds_of_products(std::span<const PackedMatrix* const> matrices) {
  std::vector<BFloat16> x(static_cast<std::size_t>(deepest_), 0x3F80);
  std::int64_t widest = 0;
  for (const PackedMatrix* matrix : matrices)
    widest = std::max<std::int64_t>(widest, matrix->columns());
  std::vector<float> out(static_cast<std::size_t>(widest));
  return best_seconds_of([&] {
    team_->run([&](int rank) {
      for (const PackedMatrix* matrix : matrices) {
        multiply(rank, *matrix, {}, x.data(), 1, out.data(), matrix->columns(), Epilogue::store);
        team_->barrier();
      }
    });
  });
}

/// Reads of the same bytes, as many times as expanded weights are larger.
double DecoderCpu::seconds_of_expanded_bytes(std::span<const PackedMatrix* const> matrices) const {
  double expanded = 0, bytes = 0;
  for (const PackedMatrix* matrix : matrices) {
    expanded += static_cast<double>(
        PackedMatrix::data_bytes(numbers_.expanded(), matrix->columns(), matrix->depth()));
    bytes += static_cast<double>(matrix->bytes());
  }
  const double seconds = best_seconds_of([&] {
    team_->run([&](int rank) {
      for (const PackedMatrix* matrix : matrices) {
        const std::int64_t part = matrix->bytes() / team_->size();
        kernels_->read_sum(
            static_cast<const char*>(matrix->placed_parts().front().data) + rank * part, part);
      }
    });
  });
  return seconds * expanded / bytes;
}

bool DecoderCpu::is_faster_than_expanded() {
  const std::vector<const PackedMatrix*> matrices = probed_matrices();
  if (matrices.empty()) return false;
  return seconds_of_products(matrices) < kMargin * seconds_of_expanded_bytes(matrices);
}

}  // namespace speclab::engines::cpu
