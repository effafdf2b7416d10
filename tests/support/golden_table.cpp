#include "tests/support/golden_table.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace speclab::testing {

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
  for (const std::string& cell : split(inputs.at(name), '|')) values.push_back(std::stod(cell));
  return values;
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
