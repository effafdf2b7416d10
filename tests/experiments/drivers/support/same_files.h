#pragma once
#include <gtest/gtest.h>

#include <string>

#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::testing {

/// Files of a run that time and machine leave as they are.
inline constexpr const char* kDeterministicFiles[] = {"rows.csv", "rounds.csv", "texts.jsonl", "drafts.jsonl"};

inline void expect_files_of(const SmallExperiment& experiment, const std::string& reference, const std::string& name) {
  for (const char* file : kDeterministicFiles) ASSERT_EQ(experiment.file(reference, file), experiment.file(name, file)) << file << " of " << name;
}

}  // namespace speclab::testing
