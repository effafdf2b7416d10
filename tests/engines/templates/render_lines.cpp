// Renders templates from standard input, for tests/golden/templates/compare_live.py: a line
// {"template": ..., "variables": ...} becomes a line {"text": ...} or {"error": ...}.

#include <iostream>

#include "tests/engines/templates/template_cases.h"

int main() {
  using speclab::testing::Json;
  for (std::string line; std::getline(std::cin, line);) {
    const Json input = Json::parse(line);
    std::cout << speclab::testing::outcome_of(input["template"], input["variables"]).dump() << "\n";
  }
}
