#pragma once
// Where a key or value stands, and the text around it.

#include <memory>
#include <string>
#include <tuple>

namespace speclab::experiments {

/// A file that was read.
struct SourceText {
  std::string name;  ///< as messages show it
  std::string content;
  int order = 0;  ///< 0 for the file itself, then those that it includes as they are read
};

/// A place in a file, or the command-line option that stands for one (line 0).
struct ConfigPlace {
  std::shared_ptr<const SourceText> source;
  int line = 0, column = 0;  ///< from 1; columns count code points

  /// "file:line:column", or the option.
  std::string text() const;
  /// The source line under two blanks with a caret below the column, cut to a window where it is
  /// long; empty without a line.
  std::string excerpt() const;
  /// By file in the order of reading, then by position; options by name behind all files.
  bool operator<(const ConfigPlace& other) const { return key() < other.key(); }
  bool operator==(const ConfigPlace& other) const { return key() == other.key(); }

 private:
  std::tuple<int, int, int, const std::string&> key() const {
    return {source->order, line, column, source->name};
  }
};

/// The place of an option of the command line.
ConfigPlace option_place(const std::string& option);

}  // namespace speclab::experiments
