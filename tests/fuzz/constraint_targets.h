#pragma once
// Readers of constraints as functions of bytes, and good inputs of each.

#include <string>
#include <vector>

namespace speclab::fuzz {

void read_constraint_regex(const std::string& bytes);
std::vector<std::string> regex_seeds();
void read_constraint_schema(const std::string& bytes);
std::vector<std::string> schema_seeds();

}  // namespace speclab::fuzz
