#pragma once
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

namespace speclab::analysis {

/// Laws of a text file, a line each: probabilities separated by commas or blanks, brackets around
/// them allowed, as `speclab law` prints them. A file of several lines of one number each is one
/// law, written down the page. All have the same size. One law is kept at a time, whatever the
/// file's length.
class LawReader {
 public:
  /// @throws DataError if the file cannot be opened
  explicit LawReader(const std::string& path);

  /// The next law, valid until the next call: it sums to 1 within 1e-6 in the file, and exactly
  /// after division by its sum. Null at the end. @throws DataError naming file and line, also if
  /// the file has no law
  const std::vector<double>* next();
  std::size_t laws() const { return laws_; }  ///< that were read so far

 private:
  /// The next line that holds numbers, into values_. @return false at the end
  bool read_line();
  void read_column();
  void normalise();

  std::string path_;
  std::ifstream file_;
  std::vector<double> values_;
  std::size_t number_ = 0;  ///< of the line
  std::size_t laws_ = 0;
  std::size_t vocab_ = 0;
};

}  // namespace speclab::analysis
