#pragma once
#include <string>
#include <vector>

#include "analysis/plots/figure.h"

namespace speclab::analysis {

/// Runs a program found on PATH, without a shell, with `input` as its standard input, and waits for
/// it. Its standard output is dropped.
/// @throws WriteError with what it wrote to standard error, if it cannot be started or does not
/// return 0, or if the
///         scratch file of its input cannot be written
void run_process(const std::vector<std::string>& arguments, const std::string& input);

/// Draws `figure` as FOLDER/ID.pdf and makes ID.png (150 dpi) and ID.svg from it, so that the three
/// agree. They are drawn in a scratch folder of their own in FOLDER and put in place when all are
/// whole: what stood there before stays if drawing fails.
/// @throws WriteError with the message of gnuplot, pdftocairo or the system
void draw_static(const Figure& figure, const std::string& folder);

/// @throws ConfigError unless the name of the file ends in .pdf, .png or .svg
void expect_drawable(const std::string& path);

/// Draws `figure` into one file, of the format that its name ends with, in the same way.
/// @throws ConfigError as expect_drawable, WriteError as draw_static
void draw_file(const Figure& figure, const std::string& path);

}  // namespace speclab::analysis
