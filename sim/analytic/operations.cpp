#include "sim/analytic/operations.h"

#include "sim/analytic/arguments.h"
#include "sim/analytic/tokens_per_round.h"

namespace speclab::sim {

double operations_factor(double acceptance_rate, int speculation_length,
                         double draft_operations_ratio) {
  expect_not_negative(draft_operations_ratio, "draft_operations_ratio");
  const double tokens = tokens_per_round(acceptance_rate, speculation_length);
  return (speculation_length * draft_operations_ratio + speculation_length + 1.0) / tokens;
}

double target_reads_per_token(double acceptance_rate, int speculation_length) {
  return 1.0 / tokens_per_round(acceptance_rate, speculation_length);
}

double bytes_per_token(double acceptance_rate, int speculation_length, const ReadBytes& bytes) {
  expect_positive(bytes.target_bytes, "target_bytes");
  expect_not_negative(bytes.draft_bytes, "draft_bytes");
  const double tokens = tokens_per_round(acceptance_rate, speculation_length);
  return (bytes.target_bytes + speculation_length * bytes.draft_bytes) / tokens;
}

}  // namespace speclab::sim
