#pragma once
#include <functional>
#include <string>

#include "engines/interface/engines.h"

namespace speclab::experiments {

/// Everything that a text of one prompt needs beside its options.
struct TextCall {
  engines::Engines& engines;
  engines::LoadedModel& loaded;
  const engines::Request& request;
  const std::string& prompt_id;              ///< name of the prompt in a list; else empty
  engines::EnergyMeter* energy;              ///< null if the machine does not tell any
  std::function<void()> check_interruption;  ///< throws if the user has interrupted
};

}  // namespace speclab::experiments
