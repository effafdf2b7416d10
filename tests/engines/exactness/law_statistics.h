#pragma once
// Whether counts follow a law: the statistics of COR-3.

#include <utility>
#include <vector>

#include "sim/core/law.h"

namespace speclab::engines::testing {

/// Chance of a false alarm of one statistic; all of them together, four a context and rule, raise
/// one once in 1e6.
extern const double kLevel;

/// Chi-squared over cells of known probability; cells that expect fewer than 100 are pooled.
/// @param smallest_shift  where not null raised to the total variation that is missed with odds
/// below 1e-6
/// @return P(a statistic as large); 1 where fewer than two cells are left
double p_value(const std::vector<double>& counts, const std::vector<double>& probabilities,
               double* smallest_shift);

double total_variation(const std::vector<double>& counts, const std::vector<double>& probabilities);

/// What n samples of a law exceed with a probability below kLevel, whatever the law. @source
/// Bretagnolle, Huber, Carol
double surest_total_variation(double n);

/// In double, together 1.
std::vector<double> probabilities_of(const Law& law);

/// Eighths of a law: tokens in order of their ids, cut where the mass passes an eighth. @return
/// part of each token, mass of each part
std::pair<std::vector<std::size_t>, std::vector<double>> eighths(const Law& law);

}  // namespace speclab::engines::testing
