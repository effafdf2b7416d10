#pragma once
#include <string>
#include <vector>

#include "experiments/drivers/journal/journal.h"

namespace speclab::testing {

/// What the journal in `folder` holds, in its order. @throws as Journal::open
inline std::vector<std::string> journal_payloads(const std::string& folder) {
  std::vector<std::string> payloads;
  experiments::Journal::open(
      folder, experiments::Journal::Tail::cut_off,
      [&](std::string_view payload, experiments::JournalPlace) { payloads.emplace_back(payload); });
  return payloads;
}

}  // namespace speclab::testing
