#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::testing {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  return lines;
}

/// Lines of a CSV but those of a row.
inline std::string without_row(const std::string& csv, std::int64_t row_id) {
  std::string rest;
  for (const std::string& line : lines_of(csv))
    if (!line.starts_with(std::to_string(row_id) + ",")) rest += line + "\n";
  return rest;
}

/// The run `name` has one row in failures.csv, of that status, and otherwise what `whole` has.
inline void expect_one_failure_more(const SmallExperiment& experiment, const std::string& name,
                                    const std::string& status) {
  const auto failures = lines_of(experiment.file(name, "failures.csv"));
  ASSERT_EQ(failures.size(), 2u) << name;
  EXPECT_NE(failures[1].find("," + status + ","), std::string::npos) << failures[1];
  const std::int64_t row_id = std::stoll(failures[1]);
  for (const char* file : {"rows.csv", "rounds.csv"})
    EXPECT_EQ(experiment.file(name, file), without_row(experiment.file("whole", file), row_id))
        << file << " " << name;
}

}  // namespace speclab::testing
