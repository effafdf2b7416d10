#pragma once
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "tests/experiments/drivers/support/small_experiment.h"

namespace speclab::testing {

/// Files of a run that time and machine leave as they are.
inline constexpr const char* kDeterministicFiles[] = {"rows.csv", "rounds.csv", "texts.jsonl",
                                                      "drafts.jsonl"};

/// Those that an edited config leaves as they are too: which drafts are shown depends on what was
/// the first prompt when it was measured.
inline constexpr std::span kFilesAfterEdits = std::span(kDeterministicFiles).first<3>();

inline void expect_files_of(const SmallExperiment& experiment, const std::string& reference,
                            const std::string& name,
                            std::span<const char* const> files = kDeterministicFiles) {
  for (const char* file : files)
    ASSERT_EQ(experiment.file(reference, file), experiment.file(name, file))
        << file << " of " << name;
}

}  // namespace speclab::testing
