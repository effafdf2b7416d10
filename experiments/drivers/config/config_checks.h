#pragma once
// Rules that several configs share, and the tables of a config that was read, for rules between
// their keys.

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "experiments/drivers/toml/config_reader.h"
#include "sim/system/errors.h"

namespace speclab::experiments {

/// For messages: what is_name accepts.
inline constexpr const char* kNameRule =
    "1 to 200 letters, digits, _, - and ., not beginning with .";

/// Fit for a folder, a column of a CSV file and a key of a manifest.
bool is_name(const std::string& text);

/// Makes the ConfigError that `check` throws a finding about an element.
template <typename Check>
void check_element(const ConfigReader& reader, const char* key, std::size_t index,
                   const Check& check) {
  try {
    check();
  } catch (const ConfigError& error) {
    reader.add(key, index, error.what());
  }
}

/// The tables of a config that was read, for rules between their keys.
class RunTables {
 public:
  /// Both outlive it.
  RunTables(const ConfigNode& root, Findings& findings)
      : root_(root), missing_{root.where, ConfigNode::TableEntries{}}, findings_(findings) {}

  /// Of a table that may not be there: its keys are then missing from the file.
  ConfigReader reader(const std::string& table) const;
  /// Whether nothing was found wrong with these keys, or below these tables.
  bool are_right(std::initializer_list<const char*> keys) const;
  Findings& findings() const { return findings_; }

 private:
  const ConfigNode& root_;
  const ConfigNode missing_;  ///< what stands for a table that is not there
  Findings& findings_;
};

}  // namespace speclab::experiments
