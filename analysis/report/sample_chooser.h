#pragma once
#include <string>

#include "analysis/tables/run_folder.h"

namespace speclab::analysis {

/// A list of generations of which one is shown; the page's script shows the one chosen.
class SampleChooser {
 public:
  /// @param id  of the element, its own in the page
  explicit SampleChooser(std::string id) : id_(std::move(id)) {}

  /// The first one is shown at first. @param content  HTML
  void add(const Generation& generation, const std::string& content);
  std::string html() const;

 private:
  std::string id_, options_, articles_;
};

}  // namespace speclab::analysis
