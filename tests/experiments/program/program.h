#pragma once
// The built program under a shell.

#include <gtest/gtest.h>

#include <string>

#include "tests/support/shell.h"

namespace speclab::testing {

/// Runs `speclab ARGUMENTS` under a shell.
inline Outcome run_program(const std::string& arguments) {
  return run_shell(std::string(SPECLAB_PROGRAM " ") + arguments);
}

inline void expect_refusal(const std::string& arguments, int code,
                           const std::string& message_part) {
  const Outcome outcome = run_program(arguments + " 2>&1 </dev/null");
  EXPECT_EQ(outcome.code, code) << arguments << "\n" << outcome.output;
  EXPECT_NE(outcome.output.find(message_part), std::string::npos) << arguments << "\n"
                                                                  << outcome.output;
}

}  // namespace speclab::testing
