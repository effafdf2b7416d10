// The start-up probe: how many rows the low-bit form of a product serves faster than the expanded
// one. Both give the same bits, so the answer is a matter of time only.

#include <algorithm>
#include <chrono>

#include "engines/cpu/decoder_cpu.h"

namespace speclab::engines::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kManyBytes = std::int64_t{48} << 20;  ///< more than caches hold, expanded
constexpr int kPasses = 3;
constexpr int kProbedRows[] = {1, 2, 4, 8, 16};
/// One row leaves the low-bit form only for a clear loss, so that the bytes of a step are the same
/// from run to run.
constexpr double kClearLoss = 1.25;

}  // namespace

/// Products of layers, until they are too large for caches.
std::vector<const DecoderCpu::Linear*> DecoderCpu::probed_products() const {
  std::vector<const Linear*> products;
  std::int64_t bytes = 0;
  for (const Layer& layer : layers_)
    for (const Linear* linear :
         {&layer.query_key_value, &layer.attention_output, &layer.first, &layer.down}) {
      if (linear->expanded.columns() == 0 || bytes >= kManyBytes) continue;
      products.push_back(linear);
      bytes += linear->matrix.bytes();
    }
  return products;
}

/// Duration of one pass over all of them.
double DecoderCpu::seconds_of_products(std::span<const Linear* const> products, int rows,
                                       PackedMatrix Linear::* form) {
  constexpr BFloat16 kOne = 0x3F80;
  std::int64_t widest = 0;
  for (const Linear* linear : products)
    widest = std::max<std::int64_t>(widest, linear->matrix.columns());
  const std::vector<BFloat16> x(static_cast<std::size_t>(rows * deepest_), kOne);
  std::vector<float> out(static_cast<std::size_t>(rows * widest));
  const auto start = Clock::now();
  team_->run([&](int rank) {
    for (const Linear* linear : products) {
      multiply(rank, linear->*form, {}, x.data(), rows, out.data(), linear->matrix.columns(),
               Epilogue::store);
      team_->barrier();
    }
  });
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Best of a few passes that take turns, since other programs may disturb any of them.
int DecoderCpu::most_low_bit_rows() {
  const std::vector<const Linear*> products = probed_products();
  int most = 0;
  if (products.empty()) return most;
  for (const int rows : kProbedRows) {
    double low_bit = 1e9, expanded = 1e9;
    for (int pass = 0; pass < kPasses; ++pass) {
      low_bit = std::min(low_bit, seconds_of_products(products, rows, &Linear::matrix));
      expanded = std::min(expanded, seconds_of_products(products, rows, &Linear::expanded));
    }
    if (low_bit > (rows == 1 ? kClearLoss : 1.0) * expanded) break;
    most = rows;
  }
  return most;
}

}  // namespace speclab::engines::cpu
