#pragma once
// What is wrong with a config, all of it.

#include <set>
#include <string>
#include <vector>

#include "experiments/drivers/toml/config_place.h"

namespace speclab::experiments {

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
