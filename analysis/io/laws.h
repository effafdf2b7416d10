#pragma once
#include <string>
#include <vector>

namespace speclab::analysis {

/// Laws of a text file, a line each: probabilities separated by commas or blanks, brackets around them allowed, as
/// `speclab law` prints them. A file of several lines of one number each is one law, written down the page. All have the same size.
///
/// @return the laws; each sums to 1 within 1e-6 in the file, and exactly after division by its sum
/// @throws DataError naming file and line
std::vector<std::vector<double>> read_laws(const std::string& path);

}  // namespace speclab::analysis
