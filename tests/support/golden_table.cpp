#include "tests/support/golden_table.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace speclab::testing {
namespace {

double number_or_fraction(const std::string& text) {
  const std::size_t slash = text.find('/');
  return slash == std::string::npos
             ? std::stod(text)
             : std::stod(text.substr(0, slash)) / std::stod(text.substr(slash + 1));
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> cells;
  std::istringstream stream(text);
  for (std::string cell; std::getline(stream, cell, separator);) cells.push_back(cell);
  return cells;
}

double FormulaExample::number(const std::string& name) const { return std::stod(inputs.at(name)); }
int FormulaExample::integer(const std::string& name) const { return std::stoi(inputs.at(name)); }

std::vector<double> FormulaExample::list(const std::string& name) const {
  std::vector<double> values;
  for (const std::string& cell : split(inputs.at(name), '|'))
    values.push_back(number_or_fraction(cell));
  return values;
}

std::vector<int> FormulaExample::integers(const std::string& name) const {
  std::vector<int> values;
  for (const std::string& cell : split(inputs.at(name), '|')) values.push_back(std::stoi(cell));
  return values;
}

std::vector<std::vector<double>> FormulaExample::matrix(const std::string& name) const {
  std::vector<std::vector<double>> rows;
  for (const std::string& row : split(inputs.at(name), '/')) {
    rows.emplace_back();
    for (const std::string& cell : split(row, '|')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

std::size_t FormulaExample::element() const {
  return std::stoul(formula.substr(formula.find('[') + 1));
}

std::vector<FormulaExample> read_formula_examples() {
  std::ifstream file(SPECLAB_SOURCE_DIR "/tests/golden/formula_examples.csv");
  if (!file) throw std::runtime_error("tests/golden/formula_examples.csv is missing");
  std::vector<FormulaExample> examples;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(line, ',');
    FormulaExample example{cells.at(0), {}, std::stod(cells.at(2))};
    for (const std::string& input : split(cells[1], ';')) {
      const std::size_t equals = input.find('=');
      example.inputs[input.substr(0, equals)] = input.substr(equals + 1);
    }
    examples.push_back(example);
  }
  return examples;
}

}  // namespace speclab::testing
