#pragma once
// How the closed forms are called with the inputs of tests/golden/formula_examples.csv, a file for
// each part of the theory.

#include <functional>
#include <map>
#include <string>

#include "tests/support/golden_table.h"

namespace speclab::sim::testing {

using speclab::testing::FormulaExample;

/// What agreement is required.
enum class Agreement { to_rounding, exact, of_a_root };

struct WorkedFormula {
  std::function<double(const FormulaExample&)> value;
  Agreement agreement = Agreement::to_rounding;
};

using WorkedFormulas = std::map<std::string, WorkedFormula>;

WorkedFormulas one_token_formulas();
WorkedFormulas chain_formulas();
WorkedFormulas cost_formulas();
WorkedFormulas tree_formulas();
WorkedFormulas candidate_formulas();
WorkedFormulas run_formulas();
WorkedFormulas mlp_formulas();
WorkedFormulas batch_formulas();

inline double acceptance_rate(const FormulaExample& e) { return e.number("acceptance_rate"); }
inline int speculation_length(const FormulaExample& e) { return e.integer("speculation_length"); }

/// A formula of α and γ.
inline WorkedFormula of_rate_and_length(double (*formula)(double, int)) {
  return {[formula](const FormulaExample& e) {
    return formula(acceptance_rate(e), speculation_length(e));
  }};
}
/// A formula of α alone.
inline WorkedFormula of_rate(double (*formula)(double)) {
  return {[formula](const FormulaExample& e) { return formula(acceptance_rate(e)); }};
}

}  // namespace speclab::sim::testing
