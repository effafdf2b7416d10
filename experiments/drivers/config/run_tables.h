#pragma once
#include <initializer_list>
#include <string>

#include "experiments/drivers/toml/config_reader.h"

namespace speclab::experiments {

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
