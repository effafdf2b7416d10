#pragma once
// The committed figures, drawn again: the same bytes where the same programs draw.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "sim/core/files.h"
#include "tests/support/shell.h"

namespace speclab::testing {

/// What decides about the bytes beside the rows.
inline std::string drawing_tools() {
  return run_shell("gnuplot --version; pdftocairo -v 2>&1 | head -n 1").output;
}

/// Why figures cannot be compared here; empty where they can.
inline std::string other_drawing_tools(const std::string& reference_folder) {
  const std::string drawn_with = read_file(reference_folder + "/figure_tools.txt"),
                    here = drawing_tools();
  return here == drawn_with
             ? ""
             : "the committed figures were drawn with " + drawn_with + "here are " + here;
}

/// Every SVG and PNG beneath `committed` that is under the same path beneath `drawn` too is the
/// same there. @return how many were compared
inline int expect_same_figures(const std::filesystem::path& committed,
                               const std::filesystem::path& drawn) {
  int compared = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(committed)) {
    const std::filesystem::path again = drawn / entry.path().lexically_relative(committed);
    const bool is_figure = entry.path().extension() == ".svg" || entry.path().extension() == ".png";
    if (!is_figure || !std::filesystem::exists(again)) continue;
    EXPECT_TRUE(read_file(entry.path().string()) == read_file(again.string()))
        << entry.path() << " is drawn otherwise now";
    ++compared;
  }
  return compared;
}

}  // namespace speclab::testing
