#pragma once
// Where a key or value of a config stands, the text around it, and all that is wrong with it.

#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace speclab::experiments {

/// A file that was read, or an option of the command line.
struct SourceText {
  std::string name;  ///< as messages show it
  std::string content;
  int order = 0;           ///< 0 for the file itself, then those that it includes as they are read
  bool is_option = false;  ///< its values have no line
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

/// All that is wrong with a config.
class Findings {
 public:
  /// Of several findings at one place the first counts. @param key  "axes.tree"; empty where it is
  /// none
  void add(const ConfigPlace& where, const std::string& key, const std::string& message);
  bool empty() const { return findings_.empty(); }
  std::size_t size() const { return findings_.size(); }
  /// Whether a key or anything under it was found wrong: what it contradicts cannot be said then.
  bool concerns(const std::string& key) const;
  /// The same for the key alone: a table that is none.
  bool is_about(const std::string& key) const;
  /// Whether some of the file could not be read: what is missing may stand there.
  bool has_unread_text() const { return is_about(""); }
  /// @throws ConfigError with "where: message", the source line and a caret for each finding, by
  /// position; the first
  ///         kMostShown of them and the number of the others
  void throw_if_any() const;

  static constexpr std::size_t kMostShown = 50;

 private:
  struct Finding {
    ConfigPlace where;
    std::string key, message;
  };
  std::vector<Finding> findings_;
  std::set<ConfigPlace> places_;
};

}  // namespace speclab::experiments
