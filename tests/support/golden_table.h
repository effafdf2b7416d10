#pragma once
#include <map>
#include <string>
#include <vector>

namespace speclab::testing {

/// One row of tests/golden/formula_examples.csv: a formula, its named inputs and its value.
struct FormulaExample {
  std::string formula;
  std::map<std::string, std::string> inputs;
  double value = 0.0;

  double number(const std::string& name) const;
  int integer(const std::string& name) const;
  std::vector<double> list(
      const std::string& name) const;  ///< "a|b|c", an entry may be a fraction "1/3"
  std::vector<int> integers(const std::string& name) const;  ///< a list of whole numbers
  std::vector<std::vector<double>> matrix(const std::string& name) const;  ///< "a|b/c|d": rows
  std::string name() const { return formula.substr(0, formula.find('[')); }
  std::size_t element() const;  ///< the number in brackets behind the name
};

std::vector<FormulaExample> read_formula_examples();

/// The cells of `text` between `separator`s.
std::vector<std::string> split(const std::string& text, char separator);

}  // namespace speclab::testing
