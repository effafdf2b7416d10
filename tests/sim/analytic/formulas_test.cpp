// The closed forms against the worked values of tests/golden/formula_examples.csv.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/sim/analytic/worked_values/worked_formula.h"

namespace speclab::sim {
namespace {

using namespace speclab::sim::testing;

constexpr std::size_t kRows = 283;

WorkedFormulas all_formulas() {
  WorkedFormulas all;
  for (WorkedFormulas part :
       {one_token_formulas(), chain_formulas(), cost_formulas(), tree_formulas(),
        candidate_formulas(), run_formulas(), mlp_formulas(), batch_formulas()})
    all.merge(part);
  return all;
}

/// Worked values carry 15 digits, so that 1e-12 leaves room for the rounding of a long sum; those
/// that are 0 may be off by an ulp of 1.
double allowed_error(Agreement agreement, double value) {
  if (agreement == Agreement::exact) return 0.0;
  const double relative = agreement == Agreement::of_a_root ? 1e-9 : 1e-12;
  return relative * std::abs(value) + 1e-15;
}

TEST(Formulas, ReproduceEveryWorkedValue) {
  const WorkedFormulas known = all_formulas();
  const auto examples = speclab::testing::read_formula_examples();
  EXPECT_EQ(examples.size(), kRows);
  std::map<std::string, int> tested;
  for (const FormulaExample& example : examples) {
    const auto formula = known.find(example.name());
    if (formula == known.end()) {
      ADD_FAILURE() << example.formula << " has no function";
      continue;
    }
    EXPECT_NEAR(formula->second.value(example), example.value,
                allowed_error(formula->second.agreement, example.value))
        << example.formula;
    ++tested[example.name()];
  }
  for (const auto& [name, formula] : known)
    EXPECT_GT(tested[name], 0) << name << " has no worked value";
}

}  // namespace
}  // namespace speclab::sim
