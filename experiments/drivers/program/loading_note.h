#pragma once
// A line for people who wait for a large model.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "engines/interface/engines.h"

namespace speclab::experiments {

/// Calls `say` once from another thread if it lives longer than `delay`.
class LateNote {
 public:
  LateNote(std::chrono::milliseconds delay, std::function<void()> say);
  ~LateNote();
  LateNote(const LateNote&) = delete;
  LateNote& operator=(const LateNote&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ends_;
  bool has_ended_ = false;
  std::thread thread_;
};

/// "loading NAME, 1.1 GB ...". @param path  file or folder of the model; its size is left out where
/// there is none
std::string loading_line(const std::string& name, const std::string& path);

/// Loads a model. A terminal on standard error shows the line if it takes more than a second, and
/// every caller a warning for more threads than processors.
/// @throws as Engines::load_model
engines::LoadedModel load_with_note(engines::Engines& engines,
                                    const engines::ModelOptions& options);

}  // namespace speclab::experiments
