#pragma once
#include <span>
#include <string_view>

namespace speclab::experiments {

/// A CSV file of experiments/papers, compiled in.
struct EmbeddedPaper {
  std::string_view file;
  std::string_view content;
};

std::span<const EmbeddedPaper> embedded_papers();

}  // namespace speclab::experiments
